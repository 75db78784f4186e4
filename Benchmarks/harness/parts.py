"""Divides the instructions that callgrind counted: by the kind of work, and by the part of Lupine that causes it.

A function of Lupine belongs to the part that its name shows. A function of the runtime or of the system, such as
`swift_retain`, belongs to the parts that call it, in proportion to the numbers of calls.
"""

import collections
import re
import subprocess

# The kinds of work, by the names of functions; what no line matches is the code of Lupine and of Swift's library.
KINDS = (
    ("retain and release",
     r"^(swift_(retain|release|bridgeObject|isUniquely|unknownObject)|_swift_re(tain|lease)|bool swift::RefCounts|swift::RefCounts)"),
    ("allocation",
     r"^(malloc|free|calloc|realloc|_int_|unlink_chunk|sysmalloc|tcache|swift_(slow)?(alloc|dealloc|Alloc|Dealloc))"),
    ("copies and ends of values",
     r"^(initialize(With|Buffer)|destroy for|outlined|assignWith|swift_array|tuple_|__mem|__swift_(destroy|project|instantiate))"
     r"|metadataimpl|getEnumTag|OpaqueExistentialBox|deallocating_deinit"),
    ("tasks and executors",
     r"^(swift_task|swift_job|swift_continuation|swift_executor|pthread_|__pthread|__tls_get|_?dispatch|gettid|_swift_stdlib_gettid)"
     r"|StackAllocator|StatusRecord|AsyncTask|runJob|TaskVoucher|__swift::__runtime|futex|sem_wait|_MutexHandle|implicitisolation"),
    ("hashing", r"Hasher|_rawHashValue|Dictionary|_HashTable|Set\._Variant|hash\(into"),
    ("checks of exclusive access", r"^swift_(begin|end)Access|AccessSet|SwiftTLSContext"),
    ("calls of the system, without the kernel", r"^(clock_gettime|epoll|send|recv|write|read)|vdso|SystemTimers"),
)
RUNTIME = {name for name, _ in KINDS} - {"copies and ends of values", "hashing"}

# The parts, by the types in the names of functions; the first line that matches counts.
PARTS = (
    ("mock", r"Mock|Stub|Reply|Delivery|RecordedRequest|Preparation|Simulation|URLTemplate|\bAnswer\b|RequestSnapshot|\bPace"),
    ("exchange over HTTP/1.1",
     r"\b(Exchange|HTTP1\w*|ResponseReader|HeadReader|HeadCache|CachedHead|RequestHead|RequestLines|Outgoing|Incoming|ExchangeTimes"
     r"|\w*Framing|UnsafeMutableBufferPointer)\b"),
    ("cache", r"\bCache|\bSelection|Leader|NewEntry|Storing|ContentPart|RequestReader|ReuseRules|ResponseControl|ResponseStore|Invalidations"),
    ("limits and circuits", r"RateL|Concurrency|Circuit|Policy(Key|States|Clock)"),
    ("loop and connections",
     r"\b(Loop\w*|WakeUp|Poller|Connections?|Admission|HostQueue|ConnectionLimiter|QueuedExchange|Routes?|RouteKey|IdleConnections"
     r"|Ticket|Submission|MonotonicClock|RemovableQueue|TurnShare|ConnectionTotal|Buffers|NativeTransport|Channel|Socket)\b"),
    ("body", r"Body(Channel|Buffer|End|Sink|Processing|Tee)|ResponseBody|\bPieces|\bData\b|DataStorage"),
    ("URL and request",
     r"URLParser|URLParts|HTTPURL|OutgoingRequest|asURL|SharedFields|DefaultFields|FieldFacts|HTTPField|URLScheme|RequestHeaders"
     r"|RequestSummary|addingDefaults|HTTPRequest|RequestRules|URLConvertible|Session\.request"),
    ("response and value",
     r"ReceivedResponse|TransportResponse|TransferMetrics|Serializ|HTTPResponse|DataTask|DataRequest|ValueRequest"
     r"|ResponseAttributes|DecodingDefaults|Validat|ContentTypeRule|RequestOutcome|AttemptResult|FinalResponse"),
    ("context and control",
     r"TransferContext|ExchangeControl|ExchangeActivity|NextExchange|ExchangeSettings|ConnectionKey|LupineError|SessionEvent"),
    ("execution and attempts",
     r"Attempt|RequestExecution|Pipeline|ExecutionState|RequestRegistry|TimeLimits|RunningExchange|Retries|Resends|Redirect"
     r"|Authentication|RequestTiming|ExchangeHistory|RequestSettings|Progress|\bSession|RequestCookies|LastExchange|TimeoutScheduler"
     r"|RequestDeadlines|RequestID|MonitorList|TimedRequest|RetryBudget"),
    ("program", r"MockThroughput|\bRequests?\.|\bWork\b|Driver"),
)
# The largest number of calls between a function of the runtime and the part that it counts for.
STEPS = 40


class Profile:
    """The instructions of each function, and the calls between functions."""

    def __init__(self, path):
        self.names, self.cost, self.calls = {}, collections.Counter(), collections.Counter()
        function = callee = None
        count = 0
        for line in open(path):
            if line.startswith("fn="):
                function = self.name(line[3:])
            elif line.startswith("cfn="):
                callee = self.name(line[4:])
            elif line.startswith("calls="):
                count = int(line[6:].split()[0])
            elif line[0] in "0123456789+-*" and len(line.split()) > 1:
                if count:
                    self.calls[function, callee] += count
                else:
                    self.cost[function] += int(line.split()[1])
                count = 0

    def name(self, text):
        """The name of a function, which the file states once, with a number that stands for it from then on."""
        number, _, name = text.rstrip("\n").partition(" ")
        if name:
            self.names[number] = name
        return self.names.get(number, number)


def difference(few, many, requests):
    """The instructions and the calls of one request, by readable names."""
    few, many = Profile(few), Profile(many)
    names = readable({*many.cost, *(each for call in many.calls for each in call)})
    cost, calls = collections.Counter(), collections.defaultdict(collections.Counter)
    for function in many.cost:
        cost[names[function]] += (many.cost[function] - few.cost[function]) / requests
    for (caller, callee), count in many.calls.items():
        count = (count - few.calls[caller, callee]) / requests
        if count > 0.05 and names[caller] != names[callee]:
            calls[names[callee]][names[caller]] += count
    return cost, calls


def readable(names):
    names = list(names)
    lines = subprocess.run(
        ["swift-demangle", "-simplified"], input="\n".join(names), check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    # callgrind appends a number to a function that calls itself.
    return {name: re.sub(r"'\d+$", "", line) for name, line in zip(names, lines)}


def first(table, name):
    return next((title for title, pattern in table if re.search(pattern, name)), None)


def by_kind(cost):
    kinds = collections.Counter()
    for function, instructions in cost.items():
        kinds[first(KINDS, function) or "code of Lupine and of Swift's library"] += instructions
    return kinds


def by_part(cost, calls):
    parts, waiting = collections.Counter(), cost
    for _ in range(STEPS):
        passed = collections.Counter()
        for function, instructions in waiting.items():
            part = None if first(KINDS, function) in RUNTIME else first(PARTS, function)
            callers = calls[function]
            if part or not callers:
                parts[part or "threads of the runtime"] += instructions
                continue
            whole = sum(callers.values())
            for caller, count in callers.items():
                passed[caller] += instructions * count / whole
        waiting = passed
    parts["threads of the runtime"] += sum(waiting.values())
    return parts


def table(few, many, requests):
    """The lines of both tables."""
    cost, calls = difference(few, many, requests)
    for counts in (by_kind(cost), by_part(cost, calls)):
        yield from (f"  {instructions:9,.0f}  {title}" for title, instructions in counts.most_common() if instructions >= 10)
        yield ""
