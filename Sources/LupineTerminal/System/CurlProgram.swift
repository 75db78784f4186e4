#if Terminal
  import LupineCore
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

  /// The program `lupine-curl`, which has the transport over libcurl.
  ///
  /// To load libcurl and its libraries takes about as much processor time as a whole request of the native transport.
  enum CurlProgram {
    /// Makes the transport; `nil` in a program without libcurl.
    private static let maker = Mutex<(@Sendable () -> any Transport)?>(nil)

    /// States how this program makes the transport, before the arguments are read.
    static func use(_ makeTransport: (@Sendable () -> any Transport)?) { maker.withLock { $0 = makeTransport } }

    /// The advice of the error for a missing program.
    static let advice = "The program lupine-curl is not beside lupine, and --transport curl needs it. Install both."

    /// Returns the transport over libcurl.
    ///
    /// - Throws: `CommandFailure` in a program without libcurl.
    static func transport() throws -> any Transport {
      guard let makeTransport = maker.withLock({ $0 }) else { throw CommandFailure(advice, .usage) }
      return makeTransport()
    }

    /// Replaces this process by `lupine-curl` if the arguments need libcurl and this program does not have it.
    ///
    /// Nothing is parsed or read before. The program stands beside this one, or in `libexec` beside the folder of this one;
    /// if it is missing, `transport()` throws.
    static func takeOverIfNeeded() {
      guard maker.withLock({ $0 == nil }), areForCurl(CommandLine.arguments) else { return }
      let folder = ownFolder
      for path in ["\(folder)/lupine-curl", "\(folder)/../libexec/lupine-curl"] {
        execv(path, CommandLine.unsafeArgv)
      }
    }

    /// Whether the arguments name the transport, or run a queue, whose profiles may name it.
    private static func areForCurl(_ arguments: [String]) -> Bool {
      arguments.dropFirst().starts(with: ["queue", "run"]) || arguments.contains("--transport=curl")
        || zip(arguments, arguments.dropFirst()).contains { $0 == "--transport" && $1 == "curl" }
    }

    private static var ownFolder: String {
      var space = [CChar](repeating: 0, count: 4_096)
      let count = readlink("/proc/self/exe", &space, space.count)
      let path = String(decoding: space.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }
  }
#endif
