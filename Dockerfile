# docker build -t sdsc-explorer . && docker run -p 8501:8501 sdsc-explorer
# Behind nginx with TLS: deploy/compose.yaml.
FROM python:3.11-slim AS build
COPY . /source
RUN PYTHON=python /source/deploy/install /opt/sdsc /opt/sdsc/kernels

FROM python:3.11-slim
RUN useradd --system --uid 10001 --no-create-home sdsc
COPY --from=build /opt/sdsc /opt/sdsc
# A start lays the compiled kernels out here; another kind of processor compiles its own into it.
RUN install --directory --owner=10001 /var/cache/sdsc
ENV SDSC_KERNELS=/opt/sdsc/kernels NUMBA_CACHE_DIR=/var/cache/sdsc SDSC_EXERCISE_KEY=/var/cache/sdsc/exercise.key PYTHONUNBUFFERED=1
USER sdsc
WORKDIR /tmp
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["/opt/sdsc/bin/python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["/opt/sdsc/bin/sdsc", "app", "--port", "8501", "--server.address", "0.0.0.0", "--server.headless", "true"]
