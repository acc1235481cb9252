"""The batch function on Ray Data: actors, each with a pipeline of its own."""

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
    """Parse a Ray dataset. Lazy, as Ray is: nothing runs until the result is read or written. A worker that dies is
    started again, and its rows are parsed again.

    dataset (ray.data.Dataset): Rows with a text.
    pipeline (str): See `BatchParser`.
    concurrency (int): Actors, each with a pipeline of its own.
    num_gpus (float): GPUs of each actor; 0.5 lets two share one, 0 is the CPU.
    num_cpus (Optional[float]): CPUs of each actor, as Ray counts them. None is 1 where enough are over, else 0: actors
        stay until the end, and where they hold all CPUs, the tasks that read wait for ever.
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
    """Call a function on rows that are a piece of work each, such as a file. A row whose worker dies is done again.

    rows (List[Dict[str, Any]]): Small values by name.
    function (Loading): Picklable; a row in, a row out.
    concurrency, num_gpus, num_cpus: As for `parse_ray`.
    YIELDS (Dict[str, Any]): The rows that come out, as they come.
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
    """Ray's reader of Parquet files is a task that starts actors of its own: two CPUs at once, beside ours."""
    ray = import_extra("ray", "ray")
    return 1.0 if ray.cluster_resources().get("CPU", 0) >= concurrency + READING_CPUS else 0.0


class Loading(Protocol):
    """A picklable function that loads a pipeline, such as `BatchParser`."""

    def load(self) -> Any:
        """Load it now."""

    def __call__(self, batch: Any) -> Any:
        """Work on a batch, or on a row."""


class ParsingActor:
    """What an actor runs. It loads the pipeline when it is made, so that an error of loading comes before the work.

    function (Loading): What it calls on each batch or row.
    """

    def __init__(self, function: Loading) -> None:
        function.load()
        self.function = function

    def __call__(self, batch: Any) -> Any:
        """Call the function."""
        return self.function(batch)
