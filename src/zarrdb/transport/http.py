"""HTTP and HTTPS by hand, over the session of fsspec's own HTTP file system.

fsspec takes whatever comes back for the range it asked for; here every answer is judged
before its body is read.
"""

import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from zarrdb.errors import (
    PartsMissingError,
    RangeError,
    RangeNotSupportedError,
    ShortAnswerError,
)
from zarrdb.transport.http_answer import parts, placed, refuse
from zarrdb.transport.link import Answer
from zarrdb.transport.reader import Span

if TYPE_CHECKING:
    from aiohttp import ClientResponse

MAX_RANGES: Final = 64
"""Ranges in one request: their 1.6 KB are far below the 8 KB of header fields that servers
take at least, and their number below Apache's limit of 200."""
_PART_HEAD: Final = 1024
"""Bytes that a part may spend on its delimiter and its header fields."""
_PIECE: Final = 1 << 20

_AS_IT_IS: Final = re.compile(r"(?:[A-Za-z0-9\-._~:/?@!$&'()*+,;=\[\]]|%[0-9A-Fa-f]{2})+")

T = TypeVar("T")
Take = Callable[["ClientResponse"], Awaitable[T]]


class HttpLink:
    """Ranges by GET requests; never a HEAD, so that a signed URL is enough. A Link.

    `options` are those of fsspec's HTTPFileSystem: `headers`, `client_kwargs`, and what
    aiohttp takes for a request. Proxies, `.netrc` and CA files come from the environment.
    """

    max_ranges = MAX_RANGES

    def __init__(self, url: str, name: str, *, options: Mapping[str, Any], timeout: float) -> None:
        from aiohttp import ClientTimeout
        from yarl import URL

        self.name = name
        given = {"client_kwargs": {}, "headers": {}, **options}
        # The trust_env of aiohttp: proxies and .netrc. One session to a link, closed with it.
        given["client_kwargs"] = {"trust_env": True, **given["client_kwargs"]}
        self._options = given
        self._fs: Any = self._open()
        self._opening = Lock()
        self._timeout = timeout
        self._limits = ClientTimeout(
            total=None, connect=timeout, sock_connect=timeout, sock_read=timeout
        )
        url = url.partition("#")[0]
        # A signed URL must not be written differently: what is legal is sent as it is.
        self._url = URL(url, encoded=_AS_IT_IS.fullmatch(url) is not None)
        self._target = self._url
        # After a redirect credentials belong to the first server alone, so it is asked again.
        self._sticky = not options and not self._url.user

    def _open(self) -> Any:
        from fsspec.implementations.http import HTTPFileSystem

        return HTTPFileSystem(skip_instance_cache=True, **self._options)

    def renew(self) -> None:
        """Begin with a new session, on a new event loop."""
        # fsspec has to forget the old loop first, which it does after every fork as well.
        self._inherited, self._fs = self._fs, None
        self._opening = Lock()

    def fetch(self, offset: int, size: int) -> Answer:
        """At most `size` bytes from `offset` on, or the whole file if it is small."""
        return self._one(f"{offset}-{offset + size - 1}")

    def fetch_tail(self, size: int) -> Answer:
        """The last `size` bytes, or the whole file if it has fewer."""
        return self._one(f"-{size}")

    def fetch_parts(self, spans: Sequence[Span]) -> list[Answer]:
        """Several ascending, disjoint spans by one request: the parts that came back."""
        asked = ",".join(f"{span.offset}-{span.end - 1}" for span in spans)
        most = sum(span.size + _PART_HEAD for span in spans)

        async def take(response: "ClientResponse") -> list[Answer]:
            kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if response.status != 206 or kind != "multipart/byteranges":
                whole = f"{spans[0].offset}-{spans[-1].end - 1}"
                if response.status == 206 and (response.content_length or most + 1) > most:
                    raise PartsMissingError(f"{self.name}: one range came back for several")
                return [await self._body(response, whole)]
            refuse(self.name, response.status, response.headers)
            body = bytearray()
            async for piece in response.content.iter_chunked(_PIECE):
                body += piece
                if len(body) > most:
                    raise PartsMissingError(f"{self.name}: more came back than was asked for")
            return parts(self.name, response.headers, bytes(body))

        return self._get(asked, take)

    def stat(self) -> None:
        """Every answer to a range tells size and stamp."""
        return

    def download(
        self, write: Callable[[bytes], None], expect: Callable[[int | None], None]
    ) -> None:
        """The whole file in pieces, by one request without a range."""

        async def take(response: "ClientResponse") -> None:
            fields = response.headers.copy()
            encoded = fields.popall("Content-Encoding", None)
            refuse(self.name, response.status, fields)
            # What is compressed on the way is unpacked by aiohttp, to an unknown size.
            expect(None if encoded else response.content_length)
            async for piece in response.content.iter_chunked(_PIECE):
                write(piece)

        self._get(None, take)

    def close(self) -> None:
        """Give back connections; a second call does nothing."""
        session = self._fs and self._fs._session
        if session is not None:
            self._fs._session = None
            self._wait(session.close())

    def _one(self, asked: str) -> Answer:
        return self._get(asked, lambda response: self._body(response, asked))

    async def _body(self, response: "ClientResponse", asked: str) -> Answer:
        """The answer to one range, judged before its body is read."""
        place = placed(self.name, response.status, response.headers, asked)
        length = response.content_length
        if length is not None and length != place.length:
            kind = ShortAnswerError if length < place.length else RangeNotSupportedError
            raise kind(f"{self.name}: the server sends {length} bytes as a range of {place.length}")
        data = await response.content.readexactly(place.length) if place.length else b""
        if place.length and await response.content.read(1):
            raise RangeNotSupportedError(f"{self.name}: the server sends more than it says")
        return Answer(data, place.offset, place.size, place.stamp, len(response.history))

    def _get(self, asked: str | None, take: Take[T]) -> T:
        return self._wait(self._request(asked, take))

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The outcome of a coroutine on fsspec's loop, whose own `sync` renames time-outs."""
        from asyncio import run_coroutine_threadsafe

        with self._opening:
            if self._fs is None:
                self._fs = self._open()
        future = run_coroutine_threadsafe(work, self._fs.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def _request(self, asked: str | None, take: Take[T]) -> T:
        """One GET request; whatever goes wrong is a RangeError."""
        import aiohttp

        from zarrdb.transport.http_faults import fault

        options = {**self._fs.kwargs}
        headers = {**options.pop("headers"), "Accept-Encoding": "identity"}
        if asked is not None:
            headers["Range"] = f"bytes={asked}"
        target = self._target
        try:
            session = await self._fs.set_session()
            async with session.get(
                target, headers=headers, timeout=self._limits, **options
            ) as response:
                try:
                    taken = await take(response)
                except BaseException:
                    # Not read to its end: the connection is of no further use.
                    response.close()
                    raise
                if self._sticky:
                    self._target = response.url
                return taken
        except RangeError as error:
            if target != self._url:
                self._target = self._url
                error.transient = error.transient or error.status is not None
            raise
        except (aiohttp.ClientError, TimeoutError, EOFError) as error:
            raise fault(self.name, error, self._timeout) from None
