# docker build -t transformer-classroom . && docker run -p 8501:8501 transformer-classroom
FROM python:3.12-slim

# Corpora are downloaded to /data; mount a volume there, and they outlive the container.
RUN useradd --create-home classroom && install --directory --owner=classroom /data
ENV TRANSFORMER_CLASSROOM_DATA=/data
WORKDIR /app

# The packages first: they are built anew only where this file changes.
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt

COPY .streamlit/config.toml .streamlit/
COPY core/ core/
COPY pages/ pages/
COPY streamlit_app.py ./
RUN python -m compileall -q core pages

# All of this belongs to root: the app cannot change its own code.
USER classroom
EXPOSE 8501
# Behind a proxy, name its address, or all visitors together have the limits of one: see .github/HOSTING.md.
ENV FORWARDED_ALLOW_IPS=127.0.0.1
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://localhost:8501/_stcore/health', timeout=5)"]
CMD ["streamlit", "run", "streamlit_app.py", "--server.headless=true", "--server.address=0.0.0.0", "--server.port=8501"]
