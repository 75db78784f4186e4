package import LupineCore
package import LupineCurl
import LupineNative

/// The transport that the current test runs over.
package enum TestTransport {
  /// Makes a transport over libcurl, or the one that replaces it while the test runs over another transport.
  package static func make(
    _ configuration: CurlTransport.Configuration = CurlTransport.Configuration()
  ) -> any Transport {
    let transport = CurlTransport(configuration)
    return TransportOverride.wrap?(transport) ?? transport
  }

  /// Makes the transport that `isNative` selects: in a process of its own, or for a test whose arguments name it.
  package static func make(
    _ configuration: CurlTransport.Configuration = CurlTransport.Configuration(), isNative: Bool
  ) -> any Transport {
    let transport = CurlTransport(configuration)
    return isNative ? OverEachTransport.native(in: transport) : transport
  }

  /// The first steps for the program `ConnectionProbe`, which select the transport.
  package static var probeSteps: [String] { isNative ? ["native"] : [] }

  /// Whether the current test runs over the native transport.
  package static var isNative: Bool { make() is NativeTransport }
}

extension Transport {
  /// The name of the thread that serves the exchanges.
  package var threadName: String { self is NativeTransport ? "lupine-native" : "lupine-curl" }

  /// Runs tasks on the thread that serves the exchanges.
  package var loopExecutor: (any TaskExecutor)? {
    (self as? CurlTransport)?.executor ?? (self as? NativeTransport)?.executor
  }
}
