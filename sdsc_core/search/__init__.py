from sdsc_core.search.blocks import *
from sdsc_core.search.blocks import Search
