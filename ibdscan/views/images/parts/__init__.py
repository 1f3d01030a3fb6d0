"""What pictures are made of: canvas, colours, grid, cells as pixels, blocks and charts. Knows no mode and no
file; a new part of pictures goes here.
"""
