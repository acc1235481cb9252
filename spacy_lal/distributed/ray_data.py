"""The batch function on Ray Data: actors, each with its own pipeline."""

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Protocol

from .batches import BatchParser
from .extras import import_extra

if TYPE_CHECKING:
    from ray.data import Dataset

READING_CPUS = 2


def parse_ray(
    dataset: "Dataset",
    pipeline: str,
    *,
    concurrency: int = 2,
    num_gpus: float = 0.0,
    num_cpus: Optional[float] = None,
    rows_per_batch: int = 256,
    **settings: Any,
) -> "Dataset":
    """Parse a Ray dataset. Lazy, as Ray is: the parser runs when the result is read or written. If a worker dies, Ray
    restarts it and its rows are parsed again.

    dataset (ray.data.Dataset): Rows with a text.
    pipeline (str): See `BatchParser`.
    concurrency (int): Number of actors, each with its own pipeline.
    num_gpus (float): GPUs of each actor; 0.5 lets two share one, 0 is the CPU.
    num_cpus (Optional[float]): CPUs of each actor, as Ray counts them. None is 1 if enough CPUs remain free, else 0:
        actors stay until the end, and if they hold all CPUs, the reading tasks wait forever.
    rows_per_batch (int): Rows that an actor gets at a time.
    settings (Any): The other settings of `BatchParser`.
    RETURNS (ray.data.Dataset): The kept columns and the parse; Ray does not keep the order of rows.
    RAISES (ImportError): Ray is not installed.
    RAISES (BatchError): See `BatchParser`.
    """
    data = import_extra("ray.data", "ray")
    settings.setdefault("gpu_id", 0 if num_gpus > 0 else -1)
    return dataset.map_batches(
        ParsingActor,
        fn_constructor_args=(BatchParser(pipeline, **settings),),
        batch_format="pyarrow",
        batch_size=rows_per_batch,
        compute=data.ActorPoolStrategy(size=concurrency),
        num_gpus=num_gpus or None,
        num_cpus=_free_cpus(concurrency) if num_cpus is None else num_cpus,
    )


def map_rows(
    rows: List[Dict[str, Any]],
    function: "Loading",
    *,
    concurrency: int = 2,
    num_gpus: float = 0.0,
    num_cpus: Optional[float] = None,
) -> Iterator[Dict[str, Any]]:
    """Call a function on rows, each of them a separate piece of work such as a file. If a worker dies, its row is
    processed again.

    rows (List[Dict[str, Any]]): Small values by name.
    function (Loading): Picklable; a row in, a row out.
    concurrency, num_gpus, num_cpus: As for `parse_ray`.
    YIELDS (Dict[str, Any]): The resulting rows, in order of completion.
    RAISES (ImportError): Ray is not installed.
    RAISES (ray.exceptions.RayError): A worker cannot load its pipeline.
    """
    ray, data = import_extra("ray", "ray"), import_extra("ray.data", "ray")
    if not ray.is_initialized():
        ray.init(logging_level="warning", log_to_driver=False)
    data.DataContext.get_current().enable_progress_bars = False
    results = data.from_items(rows, override_num_blocks=len(rows)).map(
        ParsingActor,
        fn_constructor_args=(function,),
        compute=data.ActorPoolStrategy(size=concurrency),
        num_gpus=num_gpus or None,
        num_cpus=_free_cpus(concurrency) if num_cpus is None else num_cpus,
    )
    yield from results.iter_rows()


def _free_cpus(concurrency: int) -> float:
    """CPUs of each actor: 1 if two remain for Ray's Parquet reader, a task that starts actors; else 0."""
    ray = import_extra("ray", "ray")
    return 1.0 if ray.cluster_resources().get("CPU", 0) >= concurrency + READING_CPUS else 0.0


class Loading(Protocol):
    """A picklable function that loads a pipeline, such as `BatchParser`."""

    def load(self) -> Any:
        """Load the pipeline."""

    def __call__(self, batch: Any) -> Any:
        """Process a batch or a row."""


class ParsingActor:
    """A Ray actor. It loads the pipeline when it is created, so that loading errors come before the work.

    function (Loading): The function to call on each batch or row.
    """

    def __init__(self, function: Loading) -> None:
        function.load()
        self.function = function

    def __call__(self, batch: Any) -> Any:
        """Call the function."""
        return self.function(batch)
