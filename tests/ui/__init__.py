"""The view in a real JupyterLab and a real browser; a package, so that both end with its tests."""
