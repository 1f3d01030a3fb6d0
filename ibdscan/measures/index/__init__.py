"""One index: fill, order, history of splits, verdict, rebuild estimate. A new measure of an index begins here.
Imports structures only.
"""
