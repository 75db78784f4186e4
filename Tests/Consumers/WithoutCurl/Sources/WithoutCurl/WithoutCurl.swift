import Lupine
import LupineCore
import LupineMock

/// A program that leaves libcurl out: its whole network is the mock.
@main struct WithoutCurl {
  static func main() {
    print("built without libcurl")
  }
}
