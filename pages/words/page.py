"""Words: what the terms of the paper mean, in two sentences and a picture each."""

import streamlit as st

from pages.shared.opening import opening

with opening(
    "Words",
    "The words that the screens use, in two sentences and a picture each. The pictures are tiny"
    " examples, computed by the same library as everything else. Circles are points, and their"
    " colour is the subspace or cluster; orange links go astray, dashed ones are new.",
) as spot:
    from pages.shared.warm import warm
    from pages.words.glossary import words
warm(spot)
for n, word in enumerate(words()):
    if n % 2 == 0:
        columns = st.columns(2, gap="medium")
    with columns[n % 2].container(border=True, height="stretch"):
        st.subheader(word.name, anchor=word.name.lower().replace(" ", "-"))
        st.markdown(word.text)
        st.plotly_chart(word.figure, key=f"word {word.name}", alt=word.alt)
