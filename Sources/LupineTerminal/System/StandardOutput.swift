#if Terminal
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The standard output or the standard error, and what it is connected to.
  ///
  /// Nothing is buffered, so that a stream appears as it arrives.
  struct StandardOutput: Sendable {
    /// The file descriptor.
    let descriptor: Int32
    /// Whether the output is a terminal.
    let isTerminal: Bool
    /// Whether the output is a terminal that shows colours, and the user has not refused them (`NO_COLOR`).
    let hasColours: Bool

    static let output = StandardOutput(1)
    static let error = StandardOutput(2)

    private init(_ descriptor: Int32) {
      self.descriptor = descriptor
      isTerminal = isatty(descriptor) == 1
      let kind = Self.variable("TERM") ?? ""
      hasColours = isTerminal && kind != "dumb" && !kind.isEmpty && (Self.variable("NO_COLOR") ?? "").isEmpty
    }

    /// Whether another program reads the output.
    var isPipe: Bool {
      var status = stat()
      return fstat(descriptor, &status) == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// The width of the terminal in columns; 80 if it is unknown.
    var width: Int {
      var size = winsize()
      guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
      return Int(size.ws_col)
    }

    /// Writes all bytes, and waits until they are written.
    ///
    /// Ends the process with the signal SIGPIPE if the reader of a pipe has closed it.
    ///
    /// - Throws: `CommandFailure` with the status `fileFailed`, for example if the disk is full.
    func write(_ bytes: some Collection<UInt8>) throws {
      guard try bytes.withContiguousStorageIfAvailable({ try write($0) }) == nil else { return }
      try Array(bytes).withUnsafeBufferPointer { try write($0) }
    }

    /// Writes a text in UTF-8.
    func write(_ text: String) throws {
      var text = text
      try text.withUTF8 { try write($0) }
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty {
        let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EPIPE {
          Self.endBySignal(SIGPIPE)
        } else if errno == EAGAIN {
          waitUntilWritable()
        } else if errno != EINTR {
          throw CommandFailure("The output cannot be written: \(String(cString: strerror(errno))).", .fileFailed)
        }
      }
    }

    /// Waits for the reader of an output that another program has made non-blocking.
    private func waitUntilWritable() {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&entry, 1, -1)
    }

    /// Ends the process with the default action of a signal, so that a shell sees 128 and its number.
    static func endBySignal(_ number: Int32) -> Never {
      signal(number, SIG_DFL)
      raise(number)
      exit(128 + number)
    }

    /// Restores the default action of SIGPIPE, which a parent process may have turned off.
    ///
    /// The transports of the library write to sockets without SIGPIPE.
    static func restoreSignals() { signal(SIGPIPE, SIG_DFL) }

    /// Returns a variable of the environment.
    static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Ends the process at once, without releasing what it holds.
    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }
  }

  // `write` alone would be the method of the type.
  private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
  }
#endif
