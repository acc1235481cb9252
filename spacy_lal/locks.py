"""One lock for what threads share and make at its first use: a copy of the weights in another form, the weights of the
default package. A process that forks meanwhile waits for it, so that no child is born with the lock taken."""

import os
from threading import RLock

MAKING = RLock()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=MAKING.acquire, after_in_parent=MAKING.release, after_in_child=MAKING.release)
