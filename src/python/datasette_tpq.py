"""The functions and views of tpq in every database that Datasette serves."""

import tpq
from datasette import hookimpl


@hookimpl
def prepare_connection(conn):
    tpq.load(conn)
