#if Terminal
  import LupineCore
  import LupineFoundation
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The standard input as the content of a request.
  enum StandardInput {
    /// Whether a program or a file provides the input: a pipe, a file or a socket.
    ///
    /// A terminal and a device such as `/dev/null` do not.
    static var hasContent: Bool {
      var status = stat()
      guard fstat(0, &status) == 0 else { return false }
      return [S_IFREG, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    private static let isTaken = Mutex(false)

    /// Takes the input for one use.
    ///
    /// - Throws: `CommandFailure` if another use has taken it.
    private static func take() throws {
      let wasTaken = isTaken.withLock { isTaken in
        defer { isTaken = true }
        return isTaken
      }
      guard !wasTaken else {
        throw CommandFailure(
          "The standard input can be read once, and two parts of the command line read it. Name a file for one of them; "
            + "with --ignore-stdin it is no content.", .usage)
      }
    }

    /// The content, which is read while it is sent; the length is known if the input is a file.
    ///
    /// - Throws: `CommandFailure` if the input has been taken.
    static func body() throws -> RequestBody {
      try take()
      return body(of: 0)
    }

    /// The content of an open file, pipe or device, from its position on.
    static func body(of descriptor: Int32) -> RequestBody {
      var status = stat()
      if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        let length = Int64(status.st_size) - Int64(lseek(descriptor, 0, SEEK_CUR))
        return .oneShot(length: max(0, length), Pieces(descriptor: descriptor))
      }
      return .oneShot(Pieces(descriptor: descriptor))
    }

    /// Reads the input to its end, as text.
    ///
    /// - Throws: `CommandFailure` if the input has been taken, and `LupineError` if it cannot be read.
    static func text() throws -> String {
      try take()
      return String(decoding: try bytes(0), as: UTF8.self)
    }

    /// Reads a file, a pipe or a device to its end, 256 MiB at most.
    static func bytes(_ descriptor: Int32) throws(LupineError) -> [UInt8] {
      var bytes: [UInt8] = []
      while let piece = try read(descriptor) {
        bytes += piece
        guard bytes.count <= 256 << 20 else { throw LupineError(.bodyFailed, "The input has more than 256 MiB.") }
      }
      return bytes
    }

    /// The pieces of the input, each as it arrives.
    private struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
      let descriptor: Int32

      func makeAsyncIterator() -> Pieces { self }

      mutating func next() async throws(LupineError) -> [UInt8]? {
        try await BlockingWork.run { [descriptor] () throws(LupineError) in try StandardInput.read(descriptor) }
      }
    }

    /// Waits for the next bytes; `nil` at the end.
    private static func read(_ descriptor: Int32) throws(LupineError) -> [UInt8]? {
      let size = 128 << 10
      while true {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
          count = systemRead(descriptor, UnsafeMutableRawBufferPointer(buffer))
          initialized = max(0, count)
        }
        if count > 0 { return bytes }
        if count == 0 { return nil }
        guard errno == EINTR else {
          throw LupineError(.bodyFailed, "The input cannot be read: \(String(cString: strerror(errno))).")
        }
      }
    }
  }

  // `read` alone would be the method of the type.
  private func systemRead(_ descriptor: Int32, _ space: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, space.baseAddress, space.count)
  }
#endif
