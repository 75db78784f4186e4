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
    .library(name: "LupineMock", targets: ["LupineMock"]),
    .library(name: "LupineAuthentication", targets: ["LupineAuthentication"]),
    .library(name: "LupineCompression", targets: ["LupineCompression"]),
    .library(name: "LupineCookies", targets: ["LupineCookies"]),
    .library(name: "LupineReachability", targets: ["LupineReachability"]),
    .library(name: "LupineResilience", targets: ["LupineResilience"]),
    .library(name: "LupineMultipart", targets: ["LupineMultipart"]),
    .library(name: "LupineOpenSSL", targets: ["LupineOpenSSL"]),
    .library(name: "LupineObservability", targets: ["LupineObservability"]),
    .library(name: "LupineTesting", targets: ["LupineTesting"]),
    .executable(name: "lupine", targets: ["LupineTerminal"]),
    // Snippets can link products only; no other target uses this one.
    .library(name: "_SnippetSupport", targets: ["SnippetSupport"]),
  ],
  traits: [
    .trait(name: "Curl", description: "The umbrella brings the libcurl transport."),
    .trait(name: "Compression", description: "The umbrella decodes gzip, deflate, br and zstd."),
    .trait(name: "OpenSSL", description: "The umbrella brings pinning and revocation."),
    .trait(name: "Authentication", description: "The umbrella answers Digest challenges, with OpenSSL's hashes."),
    .trait(name: "Cookies", description: "The umbrella brings the cookie jar."),
    .trait(name: "Terminal", description: "The program `lupine` has its commands, which need swift-argument-parser."),
    .trait(
      name: "Observability",
      description: "LupineObservability writes logs, metrics and traces, which need three packages more."),
    .default(enabledTraits: ["Authentication", "Compression", "Cookies", "Curl", "OpenSSL"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.3.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
  ],
  targets: [
    // Re-exports FoundationEssentials, or Foundation on systems without it; it is no product.
    .target(name: "LupineFoundation", swiftSettings: settings),
    // Utilities that the modules share; no product.
    source("LupineSupport", [httpTypes]),
    source("LupineCore", ["LupineSupport", deque, httpTypes]),
    source("LupineCoding", ["LupineCore", "LupineSupport", httpTypes]),
    source("LupineSession", ["LupineCoding", "LupineCore", "LupineSupport", httpTypes]),
    // Kinds of request that use only public declarations, as a module of another package would.
    source(
      "LupineTransfers", ["LupineCoding", "LupineCore", "LupineSession", "LupineSupport", httpTypes],
      packageAccess: false),
    source(
      "LupineStreams", ["LupineCoding", "LupineCore", "LupineSession", "LupineSupport", httpTypes],
      packageAccess: false),
    source("LupineTesting", ["LupineCore", "LupineMock", "LupineSession", "LupineSupport", httpTypes]),
    source(
      "Lupine",
      [
        "LupineCore", "LupineMultipart", "LupineReachability", "LupineResilience", "LupineSession", "LupineStreams",
        "LupineTransfers", httpTypes,
        .target(name: "LupineAuthentication", condition: .when(traits: ["Authentication"])),
        .target(name: "LupineCurl", condition: .when(traits: ["Curl"])),
        .target(name: "LupineCompression", condition: .when(traits: ["Compression"])),
        .target(name: "LupineCookies", condition: .when(traits: ["Cookies"])),
        .target(name: "LupineOpenSSL", condition: .when(traits: ["OpenSSL"])),
      ]),

    plugin("LupineCurl", ["CLibcurl", "COpenSSL", "LupineFraming", "LupineX509", deque]),
    plugin("LupineMock", ["LupineCoding", deque]),
    plugin("LupineReachability", ["CNetlink", deque]),
    plugin("LupineCompression", ["LupineSession", "CZlib", "CBrotli", "CZstd"]),
    plugin("LupineMultipart", ["LupineSession", "LupineStreams"]),
    plugin("LupineOpenSSL", ["COpenSSL", "LupineX509"]),
    // The code for OpenSSL that LupineCurl and LupineOpenSSL share; neither a plugin nor a product.
    .target(
      name: "LupineX509", dependencies: ["COpenSSL", "LupineFoundation"], path: "Plugins/LupineX509",
      swiftSettings: settings),
    // How responses of HTTP/1.1 are framed, for transports that read the bytes.
    plugin("LupineFraming", []),
    plugin("LupineResilience", ["LupineSession", deque]),
    plugin("LupineAuthentication", ["LupineCoding", "LupineSession", "COpenSSL"]),
    plugin("LupineCookies", ["LupineSession", "CPSL"]),
    plugin(
      "LupineObservability",
      [
        "LupineSession", observability("Logging", "swift-log"), observability("CoreMetrics", "swift-metrics"),
        observability("Tracing", "swift-distributed-tracing"),
      ]),

    .systemLibrary(name: "CNetlink", path: "Plugins/CNetlink"),
    cLibrary("CLibcurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
    cLibrary("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
    cLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
    cLibrary("CBrotli", pkgConfig: "libbrotlienc libbrotlidec", apt: "libbrotli-dev"),
    cLibrary("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev"),
    cLibrary("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),

    .executableTarget(
      name: "LupineTerminal",
      dependencies: [
        "LupineCore", "LupineCurl", "LupineFoundation", "LupineOpenSSL", "LupineSession",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Terminal"])),
      ], swiftSettings: settings),

    .target(name: "LupineFixtures", path: "Fixtures", exclude: ["README.md", "Certificates"], swiftSettings: settings),

    .target(
      name: "SnippetSupport", dependencies: ["Lupine", "LupineMock", "LupineTesting"],
      path: "Tests/Support/SnippetSupport",
      swiftSettings: settings),

    test("LupineCoreTests", ["LupineCore", "LupineMock"]),
    test(
      "LupineCurlTests",
      [
        "LupineCompression", "LupineCore", "LupineCurl", "LupineMock", "LupineMultipart", "LupineTesting", "CLibcurl",
        "COpenSSL",
        "TrustSupport",
      ]),
    test("LupineFramingTests", ["LupineCore", "LupineFraming"]),
    test("LupineMockTests", ["LupineCore", "LupineMock", "LupineResilience"]),
    test(
      "LupineAuthenticationTests",
      ["LupineAuthentication", "LupineCookies", "LupineCore", "LupineCurl", "LupineMock"]),
    test("LupineCookiesTests", ["LupineCookies", "LupineCore", "LupineCurl", "LupineMock"]),
    test("LupineCompressionTests", ["LupineCore", "LupineCompression", "LupineMock"]),
    test("LupineMultipartTests", ["LupineCore", "LupineCurl", "LupineMock", "LupineMultipart", "LupineTesting"]),
    test(
      "LupineReachabilityTests",
      ["LupineCore", "LupineMock", "LupineReachability", "LupineTesting", "ReachabilityProbe"]),
    .executableTarget(
      name: "ReachabilityProbe",
      dependencies: [
        "CSeccomp", "LupineCore", "LupineCurl", "LupineReachability", "LupineSession", "LupineTransfers", httpTypes,
      ],
      path: "Tests/Support/ReachabilityProbe", swiftSettings: settings),
    .systemLibrary(name: "CSeccomp", path: "Tests/Support/CSeccomp"),
    .target(
      name: "TrustSupport",
      dependencies: [
        "COpenSSL", "LupineCore", "LupineCurl", "LupineFixtures", "LupineMock", "LupineOpenSSL", "LupineSession",
        httpTypes,
      ],
      path: "Tests/Support/TrustSupport", swiftSettings: settings),
    test(
      "LupineOpenSSLTests", ["LupineCore", "LupineCurl", "LupineMock", "LupineOpenSSL", "LupineX509", "TrustSupport"]),
    // Also a package of its own, for the address sanitizer.
    .testTarget(
      name: "HostileTests", dependencies: ["LupineCore", "LupineOpenSSL", "LupineSession"],
      path: "Tests/Support/Hostile/HostileTests",
      swiftSettings: settings),
    test("LupineResilienceTests", ["LupineCore", "LupineMock", "LupineResilience"]),
    test(
      "LupineObservabilityTests",
      [
        "LupineCore", "LupineCurl", "LupineMock", "LupineObservability", observability("Logging", "swift-log"),
        observability("InMemoryLogging", "swift-log"), observability("MetricsTestKit", "swift-metrics"),
        observability("Tracing", "swift-distributed-tracing"),
        observability("InMemoryTracing", "swift-distributed-tracing"),
      ]),
    test("LupineTestingTests", ["LupineCore", "LupineFraming", "LupineMock", "LupineTesting"]),
    test("LupineTests", ["ConnectionProbe", "Lupine", "LupineCurl", "LupineMock", "LupineTesting", "TransferProbe"]),
    .executableTarget(
      name: "TransferProbe",
      dependencies: ["CSeccomp", "LupineCore", "LupineCurl", "LupineSession", "LupineTransfers"],
      path: "Tests/Support/TransferProbe",
      swiftSettings: settings),
    .target(name: "CScriptedSystem", path: "Tests/Support/CScriptedSystem"),
    .executableTarget(
      name: "ConnectionProbe", dependencies: ["CScriptedSystem", "LupineCore", "LupineCurl", "LupineSession"],
      path: "Tests/Support/ConnectionProbe", swiftSettings: settings),
    test(
      "SecurityTests",
      ["ConnectionProbe", "Lupine", "LupineCore", "LupineMock", "LupineOpenSSL", "LupineTesting", "TrustSupport"],
      exclude: ["README.md"]),
  ],
  swiftLanguageModes: [.v6]
)
