"""A text that would like to be more than text."""

HOSTILE = (
    "Look: <script>window.pwned=1</script> <img src=x onerror='window.pwned=2'> "
    '"><svg onload=window.pwned=3> <iframe srcdoc="<script>parent.pwned=4</script>"></iframe> '
    "**bold** [link](http://evil.example/) ![image](http://evil.example/x.png) :red[red] $x^2$ "
    "<style>body{display:none}</style> {{7*7}} ${window.pwned=5} &lt;b&gt; \u202egnp.exe ."
)
