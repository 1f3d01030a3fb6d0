"""Is each page as it was written? The pass over the whole file behind ``verify``, and its findings page by
page. May import all other rooms of this stage.
"""
