"""What tables and indexes are called and which columns they have: SDI, the dictionary in ``ibdata1``, ``.frm``
files. May import all other rooms of this stage.
"""
