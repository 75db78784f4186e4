#if Terminal
  import ArgumentParser
  import HTTPTypes
  import LupineObservability

  /// The options for the output of a request.
  struct OutputOptions: ParsableArguments {
    @Option(
      name: [.short, .long],
      help: ArgumentHelp(
        "The printed parts: H and B are the head and the content of the request, h and b those of the response.",
        valueName: "HBhb"))
    var print: String?

    @Flag(help: "Prints the head of the response alone.")
    var headers = false

    @Flag(name: [.short, .long], help: "Prints the content of the response alone.")
    var body = false

    @Flag(name: [.short, .long], help: "Prints all requests and responses.")
    var verbose = false

    @Flag(name: [.short, .long], help: "Shows no progress and no warnings.")
    var quiet = false

    @Flag(help: "Fails with 3, 4 or 5 if the status is 3xx, 4xx or 5xx.")
    var checkStatus = false

    @Flag(help: "Draws the times of each exchange.")
    var waterfall = false

    @Flag(help: "Prints the times of each exchange as JSON on the standard error.")
    var metricsJson = false

    @Flag(help: "Prints the request, and sends nothing.")
    var offline = false

    @Flag(help: "Prints the command of curl, and sends nothing.")
    var curl = false

    func validate() throws {
      guard print?.allSatisfy({ "HBhb".contains($0) }) ?? true else {
        throw ValidationError("The value of --print has a letter that is none of HBhb.")
      }
      guard [print != nil, headers, body, verbose].count(where: \.self) <= 1 else {
        throw ValidationError("--print, --headers, --body and --verbose exclude each other.")
      }
      if offline, curl { throw ValidationError("--offline and --curl exclude each other.") }
    }

    /// Whether the progress of long transfers is shown: on a terminal that can redraw a line.
    var showsProgress: Bool { !quiet && !offline && LupineObservability.Terminal.standardError.isTerminal }

    /// The parts to print.
    ///
    /// Default: the head and the content of the response on a terminal, its content elsewhere.
    func parts(for method: HTTPRequest.Method, on output: StandardOutput) -> PrintedParts {
      if let print { return PrintedParts(print) }
      if headers { return .responseHead }
      if body { return .responseBody }
      if verbose { return .all }
      if offline { return [.requestHead, .requestBody] }
      if method == .head { return .responseHead }
      return output.isTerminal ? [.responseHead, .responseBody] : .responseBody
    }
  }

  /// The parts of an exchange that are printed.
  struct PrintedParts: OptionSet {
    let rawValue: UInt8

    static let requestHead = PrintedParts(rawValue: 1)
    static let requestBody = PrintedParts(rawValue: 2)
    static let responseHead = PrintedParts(rawValue: 4)
    static let responseBody = PrintedParts(rawValue: 8)
    static let all: PrintedParts = [.requestHead, .requestBody, .responseHead, .responseBody]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads the letters of `--print`.
    init(_ letters: String) {
      let parts: [Character: PrintedParts] = [
        "H": .requestHead, "B": .requestBody, "h": .responseHead, "b": .responseBody,
      ]
      self = PrintedParts(letters.compactMap { parts[$0] })
    }
  }
#endif
