"""A machine for the pickles that `torch.save` writes, and for nothing else.

Python's own unpicklers call any function that a pickle names, and set attributes on the result. This one knows the
opcodes of protocol 2 that torch uses. Names give stand-ins (`names.py`), calls make records (`records.py`), and BUILD
reaches only vocabularies, ordered dicts and dtype records. The file bounds sizes; constants bound depth and numbers.
"""

import pickletools
from collections import OrderedDict
from typing import Any, BinaryIO, Callable, Dict, List, Set

from .names import Admitted, admit, call, new
from .records import CheckpointError, DtypeRecord, ReferenceVocabulary, StorageRecord, is_int, make_storage, quoted

# A word vocabulary of 200,000 entries makes a pickle of 7 MB with 1.2 million opcodes.
MAX_PICKLE_BYTES = 32 * 2**20
MAX_OPCODES = 2_000_000
MAX_CONTAINERS = 500_000
MAX_DEPTH = 32
_OPCODES = {opcode.code.encode("latin1"): opcode for opcode in pickletools.opcodes}
MAX_LINE = 500  # characters of a name
MAX_KEY = 4096  # characters of a key of a dict
MAX_KEY_PARTS = 64
MAX_NUMBER_KEYS = 20_000  # numbers can be chosen so that they collide in a dict; strings cannot


class BoundedFile:
    """A binary file that never allocates more than it contains.

    file (BinaryIO): A file that can seek.
    size (int): Its size in bytes.
    max_read (int): The largest piece that may be read at once.
    """

    def __init__(self, file: BinaryIO, size: int, max_read: int = MAX_PICKLE_BYTES) -> None:
        self._file, self.size, self._max_read = file, size, max_read

    def read(self, n: int = -1) -> bytes:
        """Up to `n` bytes, fewer at the end.

        RAISES (CheckpointError): More than `max_read` bytes would be read.
        """
        left = max(self.size - self._file.tell(), 0)
        n = left if n is None or n < 0 else min(n, left)
        if n > self._max_read:
            raise CheckpointError(f"a part of {n} bytes is too long: expected at most {self._max_read}")
        return self._file.read(n)

    def readline(self) -> bytes:
        """A line, or the first bytes of a long one."""
        return self._file.readline(MAX_LINE)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move, as files do. RAISES (CheckpointError): The position lies outside of the file."""
        place = offset + (0, self._file.tell(), self.size)[whence]
        if not 0 <= place <= self.size:
            raise CheckpointError(f"it points to byte {place}, but has {self.size}")
        return self._file.seek(place)

    def tell(self) -> int:
        """The position of the next byte."""
        return self._file.tell()

    def seekable(self) -> bool:
        """It is."""
        return True


class Unpickler:
    """Reads one pickle.

    file (BoundedFile): A file at the beginning of the pickle.
    storages (Dict[str, StorageRecord]): Storages by their keys; the pickle adds its own.
    n_bytes (int): The size of the file that holds the storages.
    RAISES (CheckpointError): An opcode that `torch.save` does not write, a name that is not admitted, or a size beyond
        the limits.
    """

    def __init__(self, file: BoundedFile, storages: Dict[str, StorageRecord], n_bytes: int) -> None:
        self._file, self._storages, self._n_bytes = file, storages, n_bytes
        self._stack: List[Any] = []
        self._marks: List[int] = []
        self._memo: List[Any] = []
        self._containers: List[Any] = []  # keeps them alive, so that their ids stay unique
        self._depths: Dict[int, int] = {}  # id of a container -> levels of containers in it, including itself
        self._held: Set[int] = set()  # ids of containers inside others: they must not change, so cycles are impossible
        self._n_chars = 0
        self._n_number_keys = 0

    def load(self) -> Any:
        """The object that the pickle describes: plain values, and records."""
        file: Any = self._file
        operations = self._operations()
        known = {
            code: (opcode.arg.reader if opcode.arg is not None else None, operations[opcode.name])
            for code, opcode in _OPCODES.items()
            if opcode.name in operations
        }
        for _ in range(MAX_OPCODES):
            code = file.read(1)
            if code == b".":
                break
            if code not in known:
                raise CheckpointError(_unknown(code))  # before reading its argument
            reader, operation = known[code]
            operation(reader(file) if reader is not None else None)
        else:
            raise CheckpointError(f"its pickle has more than {MAX_OPCODES} opcodes")
        if len(self._stack) != 1 or self._marks:
            raise CheckpointError(f"its pickle ends with {len(self._stack)} objects and {len(self._marks)} marks left")
        return self._stack[0]

    def _operations(self) -> Dict[str, Callable[[Any], None]]:
        push, put, get = self._stack.append, self._put, self._get
        return {
            "PROTO": self._protocol,
            "MARK": lambda _: self._marks.append(len(self._stack)),
            "NONE": lambda _: push(None),
            "NEWTRUE": lambda _: push(True),
            "NEWFALSE": lambda _: push(False),
            "BININT": push,
            "BININT1": push,
            "BININT2": push,
            "BINFLOAT": push,
            "LONG1": self._long,
            "BINUNICODE": self._string,
            "EMPTY_LIST": lambda _: push(self._container([])),
            "EMPTY_DICT": lambda _: push(self._container({})),
            "EMPTY_TUPLE": lambda _: push(()),
            "TUPLE": lambda _: self._tuple(self._pop_to_mark()),
            "TUPLE1": lambda _: self._tuple(self._pop(1)),
            "TUPLE2": lambda _: self._tuple(self._pop(2)),
            "TUPLE3": lambda _: self._tuple(self._pop(3)),
            "APPEND": lambda _: self._append(self._pop(1)),
            "APPENDS": lambda _: self._append(self._pop_to_mark()),
            "SETITEM": lambda _: self._set_items(self._pop(2)),
            "SETITEMS": lambda _: self._set_items(self._pop_to_mark()),
            "BINPUT": put,
            "LONG_BINPUT": put,
            "BINGET": get,
            "LONG_BINGET": get,
            "GLOBAL": lambda names: push(admit(*names.split(" ", 1))),
            "REDUCE": lambda _: push(self._made(call(*self._pop(2)))),
            "NEWOBJ": lambda _: push(self._container(new(*self._pop(2)))),
            "BUILD": lambda _: self._build(*self._pop(2)),
            "BINPERSID": lambda _: push(self._storage(*self._pop(1))),
        }

    # The stack and the memo

    def _pop(self, n: int) -> List[Any]:
        if len(self._stack) - n < (self._marks[-1] if self._marks else 0):
            raise CheckpointError("its pickle takes more from the stack than there is")
        values = self._stack[-n:]
        del self._stack[-n:]
        return values

    def _pop_to_mark(self) -> List[Any]:
        if not self._marks:
            raise CheckpointError("its pickle goes back to a mark that it has not set")
        start = self._marks.pop()
        values = self._stack[start:]
        del self._stack[start:]
        return values

    def _top(self) -> Any:
        if len(self._stack) <= (self._marks[-1] if self._marks else 0):
            raise CheckpointError("its pickle looks at an empty stack")
        return self._stack[-1]

    def _put(self, index: int) -> None:
        value = self._top()
        if index > len(self._memo):  # a pickler counts upwards
            raise CheckpointError(f"its pickle leaves out memo entries: {index} follows {len(self._memo) - 1}")
        self._memo[index : index + 1] = [value]

    def _get(self, index: int) -> None:
        if index >= len(self._memo):
            raise CheckpointError(f"its pickle asks for memo entry {index} of {len(self._memo)}")
        self._stack.append(self._memo[index])

    # Values

    def _protocol(self, protocol: int) -> None:
        if protocol != 2:
            raise CheckpointError(f"its pickle is of protocol {protocol}: expected 2, in which torch.save writes")

    def _long(self, value: int) -> None:
        if value.bit_length() > 64:
            raise CheckpointError(f"its pickle has a number of {value.bit_length()} bits: expected at most 64")
        self._stack.append(value)

    def _string(self, text: str) -> None:
        self._n_chars += len(text)
        if self._n_chars > MAX_PICKLE_BYTES:
            raise CheckpointError(f"its pickle has more than {MAX_PICKLE_BYTES} characters of text")
        self._stack.append(text)

    def _container(self, value: Any) -> Any:
        """Count a new, empty container."""
        if len(self._containers) >= MAX_CONTAINERS:
            raise CheckpointError(f"its pickle has more than {MAX_CONTAINERS} containers")
        self._containers.append(value)
        self._depths[id(value)] = 1
        return value

    def _made(self, value: Any) -> Any:
        """Count the result of a call, unless it is counted already."""
        plain = isinstance(value, (bool, int, float, bytes)) or id(value) in self._depths
        return value if plain else self._container(value)

    def _hold(self, container: Any, values: List[Any]) -> None:
        """Note that a container holds values."""
        if id(container) in self._held:
            raise CheckpointError("its pickle changes a container that lies in another")
        depths = [self._depths[id(value)] for value in values if id(value) in self._depths]
        depth = max(self._depths[id(container)], 1 + max(depths, default=0))
        if depth > MAX_DEPTH:
            raise CheckpointError(f"its containers lie in one another more than {MAX_DEPTH} deep")
        self._depths[id(container)] = depth
        self._held.update(id(value) for value in values if id(value) in self._depths)
        if id(container) in self._held:
            raise CheckpointError("its pickle puts a container into itself")

    def _tuple(self, values: List[Any]) -> None:
        made = self._container(tuple(values)) if values else ()
        if values:
            self._hold(made, values)
        self._stack.append(made)

    def _append(self, values: List[Any]) -> None:
        target = self._top()
        if type(target) is not list:
            raise CheckpointError(f"refused: its pickle appends to {quoted(target)}")
        self._hold(target, values)
        target.extend(values)

    def _set_items(self, values: List[Any]) -> None:
        target = self._top()
        if not isinstance(target, dict) or len(values) % 2:
            raise CheckpointError(f"refused: its pickle sets {len(values)} keys and values of {quoted(target)}")
        keys = values[::2]
        self._n_number_keys += sum(not isinstance(key, (str, tuple)) for key in keys)
        if self._n_number_keys > MAX_NUMBER_KEYS:
            raise CheckpointError(f"its dicts have more than {MAX_NUMBER_KEYS} numbers as keys")
        strange = [key for key in keys if not _is_key(key)]
        if strange:
            raise CheckpointError(
                f"refused: {quoted(strange[0])} as the key of a dict; expected a number, a string of at most {MAX_KEY} "
                f"characters, or a tuple of at most {MAX_KEY_PARTS} strings"
            )
        self._hold(target, values)
        target.update(zip(keys, values[1::2], strict=True))

    # Storages and states

    def _storage(self, persistent_id: Any) -> StorageRecord:
        """('storage', class, key, device, number of elements), and in old files a sixth part, None."""
        if type(persistent_id) is not tuple or len(persistent_id) not in (5, 6):
            raise CheckpointError(f"refused: a persistent id that is no storage ({quoted(persistent_id)})")
        kind, cls, key, _, *numbers = persistent_id
        if kind != "storage" or not isinstance(cls, Admitted) or cls.dtype is None:
            raise CheckpointError(f"refused: a persistent id that is no storage ({quoted(kind)})")
        storage = make_storage(key, cls.dtype, *numbers)
        if storage.n_bytes > self._n_bytes:
            raise CheckpointError(f"a storage of {storage.n_bytes} bytes is declared, but the file has {self._n_bytes}")
        known = self._storages.setdefault(storage.key, storage)
        if known != storage:
            raise CheckpointError(f"the storage {quoted(storage.key)} is declared in two ways")
        return self._made(known)

    def _build(self, target: Any, state: Any) -> None:
        """Give an object its state. The target stays on the stack."""
        if isinstance(target, ReferenceVocabulary) and not hasattr(target, "values"):
            self._hold(target, [state])
            target.set_state(state)
        elif isinstance(target, DtypeRecord):
            target.check_state(state)
        elif type(target) is not OrderedDict or type(state) is not dict:  # the `_metadata` of a module is dropped
            name = target.name if isinstance(target, Admitted) else quoted(target)
            raise CheckpointError(f"refused: a state for {name}")
        self._stack.append(target)


def _unknown(code: bytes) -> str:
    if not code:
        return "a damaged pickle: it has no end"
    name = _OPCODES[code].name if code in _OPCODES else repr(code)
    return f"refused: its pickle has the opcode {name}, which torch.save does not write (protocol 2)"


def _is_key(key: Any) -> bool:
    if isinstance(key, tuple):
        return len(key) <= MAX_KEY_PARTS and all(isinstance(part, str) and len(part) <= MAX_KEY for part in key)
    return len(key) <= MAX_KEY if isinstance(key, str) else key is None or is_int(key, -(2**63)) or type(key) is bool


def load_pickle(file: BoundedFile, storages: Dict[str, StorageRecord], n_bytes: int) -> Any:
    """Read one pickle.

    file (BoundedFile): A file at the beginning of the pickle; reading stops after its end.
    storages (Dict[str, StorageRecord]): Receives the storages that the pickle names.
    n_bytes (int): The size of the file that holds the storages.
    RETURNS (Any): Plain values and records.
    RAISES (CheckpointError): It is damaged, or `torch.save` would not write it for a checkpoint.
    """
    try:
        return Unpickler(file, storages, n_bytes).load()
    except CheckpointError:
        raise
    except (ValueError, EOFError, OverflowError) as error:  # from pickletools, for an opcode or argument
        raise CheckpointError(f"a damaged pickle: {str(error)[:200]}") from error
