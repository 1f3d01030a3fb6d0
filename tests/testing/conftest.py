from tests.server.conftest import start_server

__all__ = ["start_server"]
