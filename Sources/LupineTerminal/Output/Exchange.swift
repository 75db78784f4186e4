#if Terminal
  import HTTPTypes
  import LupineCore
  import LupineSession
  import LupineStreams

  /// Makes a request, and prints its response as it arrives.
  struct Exchange {
    private let request: DataStreamRequest
    private let printer: ExchangePrinter
    private let options: OutputOptions
    /// Records the exchanges; `nil` if no option needs them.
    private let log: ExchangeLogMonitor?
    private let upload: ProgressDisplay?
    private let last: LastExchange

    /// - Parameter sendsContent: whether the request has content, whose progress is shown.
    init(
      _ request: DataStreamRequest, _ printer: ExchangePrinter, _ options: OutputOptions, sendsContent: Bool
    ) {
      self.request = request
      self.printer = printer
      self.options = options
      last = LastExchange(of: request)
      log = options.waterfall || options.metricsJson ? ExchangeLogMonitor(limit: 1) : nil
      if let log { request.monitor(log) }
      // A terminal that gets the exchanges while they happen has no line for a bar.
      let hasLine = options.showsProgress && !(printer.printsAll && StandardOutput.output.isTerminal)
      upload = sendsContent && hasLine ? ProgressDisplay("upload") : nil
      if let upload { request.uploadProgress { upload.show($0) } }
      request.monitor(
        .custom(for: [.retrying, .warning]) { [upload] event in
          upload?.endLine()
          Self.report(event)
        })
    }

    /// - Throws: `CommandFailure` if the request fails, and `ExitStatus` for a status that `--check-status` refuses.
    func run() async throws {
      do {
        let status = try await receive()
        try report()
        guard options.checkStatus, let refused = ExitStatus(statusClassOf: status) else { return }
        throw refused
      } catch let error as LupineError {
        upload?.end()
        if options.offline, error.kind == .cancelled { return }
        try report()
        throw (error.underlying as? CommandFailure)
          ?? CommandFailure(error.programMessage(after: last), ExitStatus(error))
      }
    }

    /// Prints the response, and returns its status.
    private func receive() async throws -> Int {
      let bytes = request.serializingBytes()
      let head = try await bytes.head
      upload?.end()
      try printer.printFinal(head)
      guard printer.parts.contains(.responseBody) else {
        // The times of an exchange are known at its end.
        if log != nil { for try await _ in bytes {} }
        return head.status.code
      }
      let length = head.headerFields[.contentLength].flatMap { Int64($0) }
      var content = ContentPrinter(head.headerFields, length: length, to: .output)
      var download = download(head.headerFields, length)
      defer { download?.end() }
      for try await piece in bytes {
        guard try content.write(piece) else { break }
        download?.add(piece.count)
      }
      try content.finish()
      if printer.parts.contains(.responseHead), let trailers = await trailers {
        try HeadPrinter(output: .output).write(trailers: trailers)
      }
      return head.status.code
    }

    /// The progress of a response that goes into a file; the length of coded content is that before decoding.
    private func download(_ fields: HTTPFields, _ length: Int64?) -> DownloadDisplay? {
      let output = StandardOutput.output
      guard options.showsProgress, !output.isTerminal, !output.isPipe else { return nil }
      return DownloadDisplay(length: fields[.contentEncoding] == nil ? length : nil)
    }

    private var trailers: HTTPFields? {
      get async { await request.trailers }
    }

    private func report() throws {
      guard let log = log?.logs.first else { return }
      if options.waterfall {
        let lines = Waterfall(log, width: StandardOutput.error.width).lines
        for line in lines { Message.write(line) }
      }
      if options.metricsJson { Message.write(MetricsReport(log).line) }
    }

    private static func report(_ event: SessionEvent) {
      switch event.kind {
      case .retrying(let delay?, let reason):
        Message.note("the request is repeated in \(Int((delay / .milliseconds(1)).rounded())) ms: \(reason)")
      case .warning(let text): Message.warn(text)
      default: break
      }
    }
  }
#endif
