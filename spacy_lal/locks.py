"""One lock for objects that threads share and create at first use: a copy of the weights in another form, the weights
of the default package. A process that forks waits for the lock, so that no child inherits it locked."""

import os
from threading import RLock

MAKING = RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=MAKING.acquire, after_in_parent=MAKING.release, after_in_child=MAKING.release)
