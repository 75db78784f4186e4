// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
/// OpenSSL, and the target that initializes it before `main`.
let openSSL: [Target.Dependency] = ["COpenSSL", "COpenSSLSetup"]
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")

func source(_ name: String, _ dependencies: [Target.Dependency], packageAccess: Bool = true) -> Target {
  .target(
    name: name, dependencies: ["LupineFoundation"] + dependencies, packageAccess: packageAccess,
    swiftSettings: settings)
}

/// SwiftPM keeps `Plugins/` for its own command plugins, so a regular target there names its path.
func plugin(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: ["LupineCore", "LupineFoundation", "LupineSupport", httpTypes] + dependencies,
    path: "Plugins/\(name)",
    // Plugins of other packages have the same access.
    packageAccess: false, swiftSettings: settings)
}

func cLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
  .systemLibrary(name: name, path: "Plugins/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func test(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies + [
      "LupineCoding", "LupineFixtures", "LupineSession", "LupineStreams", "LupineSupport", "LupineTransfers", httpTypes,
    ], exclude: exclude, swiftSettings: settings)
}

/// A product that only the trait `Observability` adds.
func observability(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Observability"]))
}

/// swift-configuration, which only the trait `Configuration` adds.
let configuration = Target.Dependency.product(
  name: "Configuration", package: "swift-configuration", condition: .when(traits: ["Configuration"]))

/// A plugin that the umbrella brings with the trait `Standard`.
func standard(_ name: String) -> Target.Dependency { .target(name: name, condition: .when(traits: ["Standard"])) }

/// The transport that the umbrella brings with either trait.
func native(_ name: String) -> Target.Dependency {
  .target(name: name, condition: .when(traits: ["Standard", "Native"]))
}

let package = Package(
  name: "Lupine",
  products: [
    .library(name: "Lupine", targets: ["Lupine"]),
    .library(name: "LupineCore", targets: ["LupineCore"]),
    .library(name: "LupineCoding", targets: ["LupineCoding"]),
    .library(name: "LupineSession", targets: ["LupineSession"]),
    .library(name: "LupineStreams", targets: ["LupineStreams"]),
    .library(name: "LupineTransfers", targets: ["LupineTransfers"]),
    .library(name: "LupineCurl", targets: ["LupineCurl"]),
    .library(name: "LupineFraming", targets: ["LupineFraming"]),
    .library(name: "LupineNative", targets: ["LupineNative"]),
    .library(name: "LupineDoubles", targets: ["LupineDoubles"]),
    .library(name: "LupineMock", targets: ["LupineMock"]),
    .library(name: "LupineCache", targets: ["LupineCache"]),
    .library(name: "LupineAuthentication", targets: ["LupineAuthentication"]),
    .library(name: "LupineCompression", targets: ["LupineCompression"]),
    .library(name: "LupineCookies", targets: ["LupineCookies"]),
    .library(name: "LupineRecording", targets: ["LupineRecording"]),
    .library(name: "LupineReachability", targets: ["LupineReachability"]),
    .library(name: "LupineRedis", targets: ["LupineRedis"]),
    .library(name: "LupineResilience", targets: ["LupineResilience"]),
    .library(name: "LupineResumableUpload", targets: ["LupineResumableUpload"]),
    .library(name: "LupineIDN", targets: ["LupineIDN"]),
    .library(name: "LupineImage", targets: ["LupineImage"]),
    .library(name: "LupineMultipart", targets: ["LupineMultipart"]),
    .library(name: "LupineOpenSSL", targets: ["LupineOpenSSL"]),
    .library(name: "LupineSQLite", targets: ["LupineSQLite"]),
    .library(name: "LupineTransferQueue", targets: ["LupineTransferQueue"]),
    .library(name: "LupineConfiguration", targets: ["LupineConfiguration"]),
    .library(name: "LupineObservability", targets: ["LupineObservability"]),
    .library(name: "LupineTesting", targets: ["LupineTesting"]),
    .executable(name: "lupine", targets: ["LupineProgram"]),
    // The program `lupine` runs this one for `--transport curl`.
    .executable(name: "lupine-curl", targets: ["LupineCurlProgram"]),
    // Snippets can link products only; no other target uses this one.
    .library(name: "_SnippetSupport", targets: ["SnippetSupport"]),
  ],
  traits: [
    // One trait, and not one for each plugin: SwiftPM passes the enabled traits of a package to the compiler in random
    // order, so with several of them each new build plan compiles the package again.
    .trait(
      name: "Standard",
      description: "The umbrella brings both transports, content codings, Digest, cookies and pins."),
    .trait(
      name: "Native",
      description: "The umbrella brings the native transport; without the trait `Standard`, it needs no libcurl."),
    .trait(name: "Terminal", description: "The program `lupine` has its commands, which need swift-argument-parser."),
    .trait(
      name: "Observability",
      description: "LupineObservability writes logs, metrics and traces, which need three packages more."),
    .trait(
      name: "Configuration",
      description: "LupineConfiguration makes sessions from a configuration, which needs swift-configuration."),
    .default(enabledTraits: ["Standard"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
  ],
  targets: [
    // Re-exports FoundationEssentials, or Foundation on systems without it; it is no product.
    .target(name: "LupineFoundation", swiftSettings: settings),
    // Utilities that the modules share; no product.
    source("LupineSupport", [deque, httpTypes]),
    source("LupineCore", ["LupineSupport", deque, heap, httpTypes]),
    source("LupineCoding", ["LupineCore", "LupineSupport", httpTypes]),
    source("LupineSession", ["LupineCoding", "LupineCore", "LupineSupport", heap, httpTypes]),
    // Kinds of request that use only public declarations, as a module of another package would.
    source(
      "LupineTransfers", ["LupineCoding", "LupineCore", "LupineSession", "LupineSupport", httpTypes],
      packageAccess: false),
    source(
      "LupineStreams", ["LupineCoding", "LupineCore", "LupineSession", "LupineSupport", httpTypes],
      packageAccess: false),
    // How responses of HTTP/1.1 are framed, for transports that read the bytes.
    source("LupineFraming", ["LupineCore", "LupineSupport", httpTypes], packageAccess: false),
    // The event loop that the transports share; no product.
    source("LupineEventLoop", ["LupineCore", "LupineSupport", httpTypes, "CSockets"], packageAccess: false),
    // The code for OpenSSL that LupineTLS and LupineOpenSSL share; no product.
    source("LupineX509", openSSL, packageAccess: false),
    // The verification of peers that the transports share; no product.
    source(
      "LupineTLS", openSSL + ["LupineCore", "LupineEventLoop", "LupineSupport", "LupineX509"], packageAccess: false),
    // What the transports for tests share: faults, conditions of requests, and reports of what comes nearest.
    source("LupineDoubles", ["LupineCoding", "LupineCore", "LupineSupport", httpTypes], packageAccess: false),
    source(
      "LupineTesting",
      [
        "LupineCore", "LupineDoubles", "LupineEventLoop", "LupineMock", "LupineRecording", "LupineSession",
        "LupineSupport", httpTypes,
      ]),
    source(
      "Lupine",
      [
        "LupineCache", "LupineCore", "LupineMultipart", "LupineReachability", "LupineResilience", "LupineSession",
        "LupineStreams", "LupineSupport", "LupineTransfers", httpTypes,
        standard("LupineAuthentication"),
        standard("LupineCompression"),
        standard("LupineCookies"),
        standard("LupineCurl"),
        standard("LupineOpenSSL"),
        native("LupineNative"),
      ]),

    plugin("LupineCurl", openSSL + ["CLibcurl", "CSockets", "LupineEventLoop", "LupineFraming", "LupineTLS", deque]),
    plugin("LupineMock", ["LupineCoding", "LupineDoubles", deque]),
    plugin("LupineReachability", ["CNetlink", deque]),
    plugin("LupineRecording", ["LupineCoding", "LupineDoubles"]),
    plugin("LupineResumableUpload", ["LupineSession", "LupineTransfers"]),
    plugin("LupineCompression", ["LupineSession", "CZlib", "CBrotli", "CZstd"]),
    plugin("LupineMultipart", ["LupineSession", "LupineStreams"]),
    plugin("LupineOpenSSL", openSSL + ["LupineX509"]),
    plugin(
      "LupineNative",
      openSSL + ["CNghttp2", "CSockets", "LupineEventLoop", "LupineFraming", "LupineTLS", "LupineX509", deque, heap]),
    plugin("LupineRedis", openSSL + [deque]),
    plugin("LupineResilience", ["LupineSession", deque]),
    plugin("LupineCache", ["LupineSession", "LupineTransfers"]),
    plugin("LupineAuthentication", openSSL + ["LupineCoding", "LupineSession", "LupineX509"]),
    plugin("LupineCookies", ["LupineSession", "CPSL"]),
    plugin("LupineSQLite", ["LupineSQLiteConnection", deque]),
    // The connection to SQLite that plugins share; no product.
    plugin("LupineSQLiteConnection", ["CSQLite", deque]),
    plugin("LupineTransferQueue", ["CSockets", "LupineSQLiteConnection", "LupineSession", "LupineTransfers"]),
    plugin("LupineIDN", ["CIDN2"]),
    plugin("LupineImage", ["LupineSession", "CSPNG", "CTurboJPEG", "CWebP"]),
    plugin("LupineConfiguration", ["LupineSession", configuration]),
    plugin(
      "LupineObservability",
      [
        "LupineSession", observability("Logging", "swift-log"), observability("CoreMetrics", "swift-metrics"),
        observability("Tracing", "swift-distributed-tracing"),
      ]),

    .systemLibrary(name: "CNetlink", path: "Plugins/CNetlink"),
    .systemLibrary(name: "CSockets", path: "Plugins/CSockets"),
    cLibrary("CLibcurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    cLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    // A target of its own, because a system library has no code.
    .target(
      name: "COpenSSLSetup", dependencies: ["COpenSSL"], path: "Plugins/COpenSSLSetup"),
    cLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    cLibrary("CBrotli", pkgConfig: "libbrotlienc libbrotlidec", apt: "libbrotli-dev"),
    cLibrary("CIDN2", pkgConfig: "libidn2", apt: "libidn2-dev"),
    cLibrary("CSPNG", pkgConfig: "spng", apt: "libspng-dev"),
    cLibrary("CTurboJPEG", pkgConfig: "libturbojpeg", apt: "libturbojpeg0-dev"),
    cLibrary("CWebP", pkgConfig: "libwebp", apt: "libwebp-dev"),
    cLibrary("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev"),
    cLibrary("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
    cLibrary("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
    cLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),

    // The code of the program `lupine`. Two executables use it, so that the usual one does not load libcurl at its start.
    .target(
      name: "LupineTerminal",
      dependencies: [
        "LupineAuthentication", "LupineCache", "LupineCoding", "LupineCompression", "LupineCore", "LupineFoundation",
        "LupineIDN", "LupineMultipart", "LupineNative", "LupineObservability", "LupineOpenSSL", "LupineRecording",
        "LupineResumableUpload", "LupineSQLite", "LupineSession", "LupineStreams", "LupineTransferQueue",
        "LupineTransfers", httpTypes,
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Terminal"])),
      ],
      exclude: ["Manual"],
      // The program uses the public declarations alone, as a program of another package would.
      packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "LupineProgram", dependencies: ["LupineTerminal"], packageAccess: false, swiftSettings: settings),
    .executableTarget(
      name: "LupineCurlProgram", dependencies: ["LupineCurl", "LupineTerminal"], packageAccess: false,
      swiftSettings: settings),

    .target(
      name: "LupineFixtures", path: "Fixtures", exclude: ["README.md", "Archives", "Certificates"],
      swiftSettings: settings),

    .target(
      name: "SnippetSupport", dependencies: ["Lupine", "LupineMock", "LupineRecording", "LupineTesting"],
      path: "Tests/Support/SnippetSupport",
      swiftSettings: settings),

    test("LupineCoreTests", ["LupineCore", "LupineMock"]),
    test(
      "LupineCurlTests",
      [
        "LupineCore", "LupineCurl", "LupineEventLoop", "LupineFraming", "LupineTesting", "CLibcurl", "PeerSupport",
        "TransportSupport", "TrustSupport",
      ]),
    // The tests that run over libcurl and over the native transport.
    test(
      "TransportTests",
      [
        "LupineCompression", "LupineCore", "LupineCurl", "LupineEventLoop", "LupineMock", "LupineMultipart",
        "LupineNative", "LupineOpenSSL", "LupineTLS", "LupineTesting", "CLibcurl", "PeerSupport",
        "TransportSupport", "TrustSupport",
      ]),
    test(
      "LupineNativeTests",
      [
        "CNghttp2", "LupineCore", "LupineEventLoop", "LupineFraming", "LupineMock", "LupineNative",
        "LupineTesting", "PeerSupport", "TransportSupport", "TrustSupport", heap,
      ]),
    test("LupineFramingTests", ["LupineCore", "LupineFraming"]),
    test("LupineMockTests", ["LupineCore", "LupineMock", "LupineResilience"]),
    test(
      "LupineAuthenticationTests",
      [
        "LupineAuthentication", "LupineCache", "LupineCompression", "LupineCookies", "LupineCore", "LupineCurl",
        "LupineMock", "TransportSupport",
      ]),
    test("LupineCookiesTests", ["LupineCookies", "LupineCore", "LupineCurl", "LupineMock", "TransportSupport"]),
    test("LupineCompressionTests", ["LupineCore", "LupineCompression", "LupineMock"]),
    test(
      "LupineMultipartTests",
      ["LupineCore", "LupineCurl", "LupineMock", "LupineMultipart", "LupineTesting", "TransportSupport"]),
    test(
      "LupineReachabilityTests",
      [
        "LupineCore", "LupineMock", "LupineReachability", "LupineTesting", "ReachabilityProbe", "TransportSupport",
      ]),
    .executableTarget(
      name: "ReachabilityProbe",
      dependencies: [
        "CSeccomp", "LupineCore", "LupineCurl", "LupineNative", "LupineReachability", "LupineSession",
        "LupineTransfers", httpTypes,
      ],
      path: "Tests/Support/ReachabilityProbe", swiftSettings: settings),
    // Peers that send bytes or frames of HTTP/2 as a script says, or that flood their client.
    .target(
      name: "PeerSupport",
      dependencies: [
        "COpenSSL", "LupineCore", "LupineFixtures", "LupineMock", "LupineSession", "LupineSupport", "LupineTesting",
        "LupineTransfers", httpTypes,
      ],
      path: "Tests/Support/PeerSupport", swiftSettings: settings),
    .systemLibrary(name: "CSeccomp", path: "Tests/Support/CSeccomp"),
    .target(
      name: "TrustSupport",
      dependencies: [
        "COpenSSL", "LupineCore", "LupineCurl", "LupineFixtures", "LupineMock", "LupineOpenSSL", "LupineSession",
        "LupineTesting", "PeerSupport", httpTypes,
      ],
      path: "Tests/Support/TrustSupport", swiftSettings: settings),
    test(
      "LupineOpenSSLTests",
      [
        "COpenSSL", "LupineCore", "LupineCurl", "LupineMock", "LupineOpenSSL", "LupineX509", "TransportSupport",
        "TrustSupport",
      ]),
    // Also a package of its own, for the address sanitizer.
    .testTarget(
      name: "HostileTests", dependencies: ["LupineCore", "LupineOpenSSL", "LupineSession"],
      path: "Tests/Support/Hostile/HostileTests",
      swiftSettings: settings),
    test(
      "LupineRecordingTests",
      [
        "Lupine", "LupineCompression", "LupineCore", "LupineCurl", "LupineMock", "LupineNative", "LupineRecording",
        "LupineTesting", "RecordingProbe", "TransportSupport",
      ]),
    test(
      "LupineResumableUploadTests",
      [
        "LupineCompression", "LupineCore", "LupineCurl", "LupineMock", "LupineResumableUpload", "LupineTesting",
        "PeerSupport", "TransportSupport", "UploadProbe",
      ]),
    .executableTarget(
      name: "UploadProbe",
      dependencies: [
        "LupineCore", "LupineCurl", "LupineNative", "LupineResumableUpload", "LupineSession", "LupineTransfers",
      ],
      path: "Tests/Support/UploadProbe", swiftSettings: settings),
    test("LupineRedisTests", ["LupineCore", "LupineMock", "LupineRedis", "LupineTesting"]),
    test(
      "LupineCacheTests",
      [
        "LupineCache", "LupineCore", "LupineMock", "LupineRedis", "LupineResilience", "LupineSQLite",
        "LupineSQLiteConnection", "LupineTesting", "TransportSupport",
      ]),
    test("LupineResilienceTests", ["LupineCore", "LupineMock", "LupineResilience"]),
    test(
      "LupineIDNTests",
      [
        "LupineCookies", "LupineCore", "LupineIDN", "LupineMock", "LupineOpenSSL", "LupineTesting", "TransportSupport",
      ]),
    test("LupineImageTests", ["CTurboJPEG", "CWebP", "ImageProbe", "LupineCore", "LupineImage", "LupineMock"]),
    .executableTarget(
      name: "ImageProbe", dependencies: ["LupineCore", "LupineImage"], path: "Tests/Support/ImageProbe",
      swiftSettings: settings),
    test(
      "LupineConfigurationTests",
      ["LupineCache", "LupineConfiguration", "LupineCore", "LupineMock", "LupineOpenSSL", configuration]),
    test(
      "LupineObservabilityTests",
      [
        "LupineCore", "LupineCurl", "LupineMock", "LupineObservability", observability("Logging", "swift-log"),
        observability("InMemoryLogging", "swift-log"), observability("MetricsTestKit", "swift-metrics"),
        observability("Tracing", "swift-distributed-tracing"),
        observability("InMemoryTracing", "swift-distributed-tracing"), "TransportSupport",
      ]),
    test(
      "LupineSQLiteTests",
      ["LupineCore", "LupineMock", "LupineSQLite", "LupineSQLiteConnection", "LupineTesting", "StoreProbe"]),
    test(
      "LupineTransferQueueTests",
      [
        "LupineAuthentication", "LupineCore", "LupineMock", "LupineResumableUpload", "LupineSQLiteConnection",
        "LupineTesting", "LupineTransferQueue", "QueueProbe",
      ]),
    .executableTarget(
      name: "QueueProbe",
      dependencies: [
        "CFaultyDisk", "LupineCoding", "LupineCore", "LupineFixtures", "LupineMock", "LupineMultipart", "LupineNative",
        "LupineResumableUpload", "LupineSession", "LupineSQLiteConnection", "LupineTransferQueue", "LupineTransfers",
        httpTypes,
      ],
      path: "Tests/Support/QueueProbe", swiftSettings: settings),
    .executableTarget(
      name: "StoreProbe", dependencies: ["CFaultyDisk", "LupineCore", "LupineFixtures", "LupineSQLite", httpTypes],
      path: "Tests/Support/StoreProbe", swiftSettings: settings),
    .executableTarget(
      name: "RecordingProbe",
      dependencies: [
        "CFaultyDisk", "LupineCore", "LupineMock", "LupineNative", "LupineRecording", "LupineSession", "LupineStreams",
        httpTypes,
      ],
      path: "Tests/Support/RecordingProbe", swiftSettings: settings),
    .target(name: "CFaultyDisk", path: "Tests/Support/CFaultyDisk"),
    test("LupineTestingTests", ["LupineCore", "LupineFraming", "LupineMock", "LupineRecording", "LupineTesting"]),
    test(
      "LupineTests",
      ["Lupine", "LupineCurl", "LupineMock", "LupineNative", "LupineTesting", "TransferProbe", "TransportSupport"]),
    // Runs tests over each transport with a network.
    .target(
      name: "TransportSupport",
      dependencies: ["LupineCore", "LupineCurl", "LupineFixtures", "LupineNative", "LupineTesting", httpTypes],
      path: "Tests/Support/TransportSupport", swiftSettings: settings),
    .executableTarget(
      name: "TransferProbe",
      dependencies: ["CSeccomp", "LupineCore", "LupineCurl", "LupineNative", "LupineSession", "LupineTransfers"],
      path: "Tests/Support/TransferProbe",
      swiftSettings: settings),
    // No test target depends on these two programs: the test bundle would link the functions that replace the system's.
    .target(name: "CFailingSystem", path: "Tests/Support/CFailingSystem"),
    .executableTarget(
      name: "SystemFaultProbe",
      dependencies: ["CFailingSystem", "LupineCore", "LupineMock", "LupineNative", "LupineSession"],
      path: "Tests/Support/SystemFaultProbe", swiftSettings: settings),
    .executableTarget(
      name: "ConnectionProbe",
      dependencies: ["CFailingSystem", "LupineCore", "LupineCurl", "LupineNative", "LupineSession", "LupineTesting"],
      path: "Tests/Support/ConnectionProbe", swiftSettings: settings),
    test(
      "SecurityTests",
      ["Lupine", "LupineCore", "LupineMock", "LupineOpenSSL", "LupineTesting", "TransportSupport", "TrustSupport"],
      exclude: ["README.md"]),
  ],
  swiftLanguageModes: [.v6]
)

// The build for the thread sanitizer leaves out the test targets that it does not run.
if let names = Context.environment["LUPINE_TEST_TARGETS"] {
  let kept = names.split(separator: " ").map(String.init)
  package.targets.removeAll { $0.type == .test && !kept.contains($0.name) }
}
