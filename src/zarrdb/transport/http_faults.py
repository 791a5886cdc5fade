"""What aiohttp raises, as the errors of zarrdb: without the URL, which may hold secrets."""

import socket

import aiohttp

from zarrdb.errors import (
    RangeError,
    RedirectError,
    RemoteTimeoutError,
    ShortAnswerError,
    UnreachableError,
)
from zarrdb.location import redact


def fault(name: str, error: Exception, timeout: float) -> RangeError:
    """The error of a request that brought no answer, or no whole one."""
    if isinstance(error, TimeoutError):
        return RemoteTimeoutError(
            f"{name}: no answer within {timeout:g} s", hint="wait longer with --timeout"
        )
    if isinstance(error, (aiohttp.ClientPayloadError, EOFError)):
        return ShortAnswerError(f"{name}: the server stopped in the middle of an answer")
    if isinstance(error, aiohttp.TooManyRedirects):
        return RedirectError(f"{name}: redirected too often")
    if isinstance(error, aiohttp.RedirectClientError):
        return RedirectError(f"{name}: redirected to something that is no web address")
    if isinstance(error, aiohttp.InvalidURL):
        return RangeError(f"{name}: is no web address")
    return _unreachable(name, error)


def _unreachable(name: str, error: Exception) -> UnreachableError:
    hint = None
    lasting = True
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        why = "its certificate is not trusted"
        hint = "SSL_CERT_FILE names a file with the certificates of an authority of your own"
    elif isinstance(error, aiohttp.ClientSSLError):
        why = "no encrypted connection comes about"
    elif isinstance(error, aiohttp.ClientHttpProxyError):
        why = f"the proxy answered with status {error.status}"
    elif isinstance(error, aiohttp.ClientProxyConnectionError):
        why = "the proxy takes no connection"
    elif isinstance(error, aiohttp.ClientConnectorError):
        failed = error.os_error
        unknown = isinstance(failed, socket.gaierror)
        why = "there is no such host" if unknown else (failed.strerror or str(failed)).lower()
        lasting = not unknown or failed.errno != socket.EAI_AGAIN
    else:
        why = redact(str(error)) or "the connection broke"
        lasting = not isinstance(error, aiohttp.ClientConnectionError)
    found = UnreachableError(f"{name}: cannot be reached: {why}", hint=hint)
    found.transient = not lasting
    return found
