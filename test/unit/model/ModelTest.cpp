//===-- ModelTest.cpp - The memory models against tables, readings and brute force ===//
//
// Three independent sources: tables of requests with their costs, counter readings that were published for
// real GPUs, and a naive implementation over sets that shares no code with the model.
//
//===----------------------------------------------------------------------===//
#include "analyzer/model/Model.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>

using namespace warplint::model;
namespace json = llvm::json;

namespace {

using AddressOf = std::function<int64_t(unsigned Lane)>;

Request request(unsigned Width, AddressOf F, uint32_t Active = ~uint32_t(0)) {
  Request R;
  R.width = Width;
  R.active = Active;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    R.address[Lane] = F(Lane);
  return R;
}

/// Lane t touches Width bytes from Base + Stride * t on.
Request strided(unsigned Width, int64_t Stride, int64_t Base = 0, uint32_t Active = ~uint32_t(0)) {
  return request(
      Width, [=](unsigned T) { return Base + Stride * T; }, Active);
}

uint32_t lanes(std::initializer_list<unsigned> List) {
  uint32_t Mask = 0;
  for (unsigned Lane : List)
    Mask |= uint32_t(1) << Lane;
  return Mask;
}

json::Value dataFile(llvm::StringRef Name) {
  const std::string Path = (WARPLINT_SOURCE_DIR "/test/unit/model/data/" + Name).str();
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer) {
    ADD_FAILURE() << Path << ": " << Buffer.getError().message();
    return nullptr;
  }
  llvm::Expected<json::Value> Value = json::parse((*Buffer)->getBuffer());
  if (!Value) {
    ADD_FAILURE() << Path << ": " << llvm::toString(Value.takeError());
    return nullptr;
  }
  return std::move(*Value);
}

const json::Array &rows(const json::Value &File, llvm::StringRef Key) {
  static const json::Array None;
  const json::Object *Top = File.getAsObject();
  const json::Array *Rows = Top ? Top->getArray(Key) : nullptr;
  return Rows ? *Rows : None;
}

/// The request of one row of a table; null offsets are inactive lanes.
Request requestOf(const json::Object &Row) {
  Request R;
  R.width = unsigned(Row.getInteger("size").value());
  const json::Array &Offsets = *Row.getArray("offsets");
  EXPECT_EQ(Offsets.size(), WarpLanes);
  for (unsigned Lane = 0; Lane < Offsets.size(); ++Lane)
    if (auto Offset = Offsets[Lane].getAsInteger()) {
      R.address[Lane] = *Offset;
      R.active |= uint32_t(1) << Lane;
    }
  EXPECT_EQ(std::popcount(R.active), Row.getInteger("active").value());
  return R;
}

//===-- Tables -------------------------------------------------------------===//

TEST(GlobalTable, EveryRow) {
  const json::Value File = dataFile("global.json");
  ASSERT_EQ(rows(File, "cases").size(), 96u);
  for (const json::Value &Case : rows(File, "cases")) {
    const json::Object &Row = *Case.getAsObject();
    SCOPED_TRACE(Row.getString("name")->str());
    const GlobalCost Cost = globalCost(requestOf(Row));
    EXPECT_EQ(Cost.lines, Row.getInteger("lines128").value());
    EXPECT_EQ(Cost.sectors, Row.getInteger("sectors32").value());
    EXPECT_EQ(Cost.idealSectors, Row.getInteger("sectors_ideal").value());
    EXPECT_EQ(Cost.distinctBytes, Row.getInteger("bytes_distinct").value());
    EXPECT_EQ(Cost.efficiency(), Row.getNumber("eta_distinct").value());
    EXPECT_EQ(Cost.sectorEfficiency(), Row.getNumber("eta_sector_distinct").value());
    EXPECT_EQ(Cost.excessSectors(), Row.getInteger("sectors_excessive").value());
  }
}

TEST(SharedTable, EveryRow) {
  const json::Value File = dataFile("shared.json");
  ASSERT_EQ(rows(File, "cases").size(), 100u);
  for (const json::Value &Case : rows(File, "cases")) {
    const json::Object &Row = *Case.getAsObject();
    SCOPED_TRACE(Row.getString("name")->str());
    const SharedCost Cost = sharedCost(requestOf(Row), Row.getString("op") == "ld");
    EXPECT_EQ(Cost.phases, Row.getInteger("phases").value());
    EXPECT_EQ(Cost.wavefronts, Row.getInteger("wavefronts").value());
    EXPECT_EQ(Cost.idealWavefronts, Row.getInteger("wavefronts_ideal").value());
    EXPECT_EQ(Cost.conflictWays, Row.getInteger("k_way").value());
  }
}

TEST(LdmatrixTable, EveryRow) {
  const json::Value File = dataFile("shared.json");
  ASSERT_EQ(rows(File, "ldmatrix").size(), 7u);
  for (const json::Value &Case : rows(File, "ldmatrix")) {
    const json::Object &Row = *Case.getAsObject();
    SCOPED_TRACE(Row.getString("name")->str());
    Request R;
    for (const json::Value &Address : *Row.getArray("rows")) {
      R.address[std::popcount(R.active)] = Address.getAsInteger().value();
      R.active = R.active << 1 | 1;
    }
    const SharedCost Cost = ldmatrixCost(R);
    EXPECT_EQ(Cost.phases, Row.getInteger("phases").value());
    EXPECT_EQ(Cost.wavefronts, Row.getInteger("wavefronts").value());
    EXPECT_EQ(Cost.idealWavefronts, Row.getInteger("wavefronts_ideal").value());
    EXPECT_EQ(Cost.conflictWays, Row.getInteger("k_way").value());
  }
}

//===-- Readings of real GPUs ----------------------------------------------===//

unsigned loadWavefronts(const Request &R) { return sharedCost(R, /*isLoad=*/true).wavefronts; }

/// Sectors and excess of a u8 RGB to grey conversion of 1920x1080 pixels in 16x16 blocks: three loads, one
/// store.
struct Sectors {
  uint64_t Total = 0, Excess = 0;
};
Sectors greyConversion() {
  Sectors Sum;
  auto Add = [&](const Request &R) {
    const GlobalCost Cost = globalCost(R);
    Sum.Total += Cost.sectors;
    Sum.Excess += Cost.excessSectors();
  };
  // 1080 rows are 67.5 blocks; the last half block has four of its eight warps outside the image.
  for (unsigned Row = 0; Row < 1080; Row += 2)
    for (unsigned Column = 0; Column < 1920; Column += 16) {
      auto Pixel = [=](unsigned T) { return int64_t(Row + T / 16) * 1920 + Column + T % 16; };
      for (unsigned Channel = 0; Channel < 3; ++Channel)
        Add(request(1, [=](unsigned T) { return Pixel(T) * 3 + Channel; }));
      Add(request(1, Pixel));
    }
  return Sum;
}

Sectors naiveTranspose() {
  const GlobalCost Read = globalCost(strided(4, 4)), Write = globalCost(strided(4, 4 * 8192));
  const uint64_t Warps = uint64_t(8192) * 8192 / WarpLanes;
  return {Warps * (Read.sectors + Write.sectors), Warps * (Read.excessSectors() + Write.excessSectors())};
}

double matmulBytesPerSector() {
  const GlobalCost A = globalCost(request(4, [](unsigned T) { return int64_t(T / 16) * 4 * 1024; }));
  const GlobalCost B = globalCost(request(4, [](unsigned T) { return int64_t(T % 16) * 4; }));
  return double(A.distinctBytes + B.distinctBytes) / (A.sectors + B.sectors);
}

/// The reduction with interleaved addressing over 2^20 floats in blocks of 256 threads:
/// for (s = 1; s < 256; s *= 2) if (2 * s * tid < 256) sdata[2 * s * tid] += sdata[2 * s * tid + s];
struct Reduction {
  uint64_t Wavefronts = 0, Excess = 0, Loads = 0;
  void add(const Request &R, bool IsLoad) {
    if (!R.active)
      return;
    const SharedCost Cost = sharedCost(R, IsLoad);
    Wavefronts += Cost.wavefronts;
    Excess += Cost.wavefronts - Cost.idealWavefronts;
    Loads += IsLoad;
  }
};
Reduction interleavedReduction() {
  Reduction Sum;
  for (unsigned Warp = 0; Warp < 8; ++Warp)
    Sum.add(strided(4, 4, Warp * 128), /*IsLoad=*/false);
  for (unsigned S = 1; S < 256; S *= 2)
    for (unsigned Warp = 0; Warp < 8; ++Warp) {
      uint32_t Active = 0;
      for (unsigned T = 0; T < WarpLanes; ++T)
        if (2 * S * (32 * Warp + T) < 256)
          Active |= uint32_t(1) << T;
      const Request Left = strided(4, 8 * S, int64_t(8) * S * 32 * Warp, Active);
      Sum.add(Left, /*IsLoad=*/true);
      Sum.add(strided(4, 8 * S, int64_t(8) * S * 32 * Warp + 4 * S, Active), /*IsLoad=*/true);
      Sum.add(Left, /*IsLoad=*/false);
    }
  Sum.add(strided(4, 4, 0, 1), /*IsLoad=*/true);
  const uint64_t Blocks = (1 << 20) / 256;
  return {Sum.Wavefronts * Blocks, Sum.Excess * Blocks, Sum.Loads * Blocks};
}

TEST(Calibration, EveryReading) {
  auto Elements = [](AddressOf F) { return [=](unsigned T) { return 16 * F(T); }; };
  auto Pairs = [](unsigned T) { return int64_t(T / 8 * 2 + T % 8 / 2 % 2); };
  const std::map<std::string, std::function<double()>> Model = {
      {"rgb2bw sectors total", [] { return greyConversion().Total; }},
      {"rgb2bw excessive", [] { return greyConversion().Excess; }},
      {"naive transpose 8192^2 total sectors", [] { return naiveTranspose().Total; }},
      {"naive transpose 8192^2 excessive", [] { return naiveTranspose().Excess; }},
      {"offset copy +1 float, bytes/sector",
       [] { return globalCost(strided(4, 4, 4)).sectorEfficiency() * SectorBytes; }},
      {"naive matmul 16x16 block, bytes/sector", matmulBytesPerSector},
      {"reduce interleaved: shared wavefronts", [] { return interleavedReduction().Wavefronts; }},
      {"reduce interleaved: excessive wavefronts", [] { return interleavedReduction().Excess; }},
      {"reduce interleaved: shared load requests", [] { return interleavedReduction().Loads; }},
      {"LDS.128 stride 128 B wavefronts/inst", [] { return loadWavefronts(strided(16, 128)); }},
      {"LDS.128 contiguous wavefronts/inst", [] { return loadWavefronts(strided(16, 16)); }},
      {"A100 lds64_contig", [] { return loadWavefronts(strided(8, 8)); }},
      {"A100 lds64_t/2",
       [] { return loadWavefronts(request(8, [](unsigned T) { return int64_t(T / 2) * 8; })); }},
      {"A100 lds128_c1_lanes15_16",
       [] {
         return loadWavefronts(strided(16, 0, 64, lanes({15, 16})));
       }},
      {"A100 lds128_c2_lanes0_15",
       [] {
         return loadWavefronts(strided(16, 0, 64, lanes({0, 15})));
       }},
      {"A100 lds128_c3", [&] { return loadWavefronts(request(16, Elements(Pairs))); }},
      {"A100 lds128_c4",
       [&] {
         return loadWavefronts(request(
             16, Elements([&](unsigned T) { return T < 16 ? Pairs(T) : int64_t(T / 8 * 2 + T % 8 % 2); })));
       }},
      {"A100 lds128_c5",
       [&] {
         return loadWavefronts(request(
             16, Elements([](unsigned T) { return int64_t(T / 16 * 4 + T % 16 / 8 + T % 8 / 4 * 8); })));
       }},
  };
  const json::Value File = dataFile("calibration.json");
  ASSERT_EQ(rows(File, "readings").size(), Model.size());
  for (const json::Value &Reading : rows(File, "readings")) {
    const json::Object &Row = *Reading.getAsObject();
    const std::string Name = Row.getString("name")->str();
    SCOPED_TRACE(Name);
    const auto Found = Model.find(Name);
    ASSERT_NE(Found, Model.end());
    EXPECT_DOUBLE_EQ(Found->second(), Row.getNumber("published").value());
  }
}

//===-- Textbook numbers -----------------------------------------------------===//

void expectLines(const Request &R, unsigned Lines, double Efficiency) {
  const GlobalCost Cost = globalCost(R);
  EXPECT_EQ(Cost.lines, Lines);
  EXPECT_DOUBLE_EQ(Cost.efficiency(), Efficiency);
}

TEST(Textbook, GlobalTransactions) {
  expectLines(strided(4, 4), 1, 1.0);
  expectLines(strided(4, 8), 2, 0.5);
  expectLines(strided(4, 128), 32, 0.03125);
  expectLines(strided(4, 4, 0, 1), 1, 0.03125);
  expectLines(strided(4, 0), 1, 0.03125);
  expectLines(strided(4, 24), 6, 1.0 / 6);
  expectLines(strided(4, 12), 3, 1.0 / 3);
  expectLines(strided(4, 4, 64), 2, 0.5);
}

TEST(Textbook, SharedCycles) {
  EXPECT_EQ(sharedCost(strided(4, 0), true).wavefronts, 1u);
  const SharedCost Column = sharedCost(strided(4, 32 * 4), true),
                   Padded = sharedCost(strided(4, 33 * 4), true);
  EXPECT_EQ(Column.conflictWays, 32u);
  EXPECT_EQ(Column.wavefronts, 32u);
  EXPECT_EQ(Padded.conflictWays, 1u);
  EXPECT_EQ(Padded.wavefronts, 1u);
  EXPECT_EQ(bankOf(70), 17u);
}

TEST(Textbook, ConstantAddresses) {
  EXPECT_EQ(constantCost(strided(4, 0)), 1u);
  EXPECT_EQ(constantCost(strided(4, 4)), 32u);
  EXPECT_EQ(constantCost(request(4, [](unsigned T) { return int64_t(T % 3) * 4; })), 3u);
  EXPECT_EQ(constantCost(strided(4, 4, 0, lanes({3, 9}))), 2u);
  EXPECT_EQ(constantCost(strided(4, 4, 0, 0)), 0u);
}

static void expectLocal(const Request &R, unsigned Lines, unsigned Sectors, unsigned Ideal) {
  const GlobalCost Cost = localCost(R);
  EXPECT_EQ(Cost.lines, Lines);
  EXPECT_EQ(Cost.sectors, Sectors);
  EXPECT_EQ(Cost.idealSectors, Ideal);
}

TEST(Textbook, LocalMemoryInterleavesTheWordsOfThreads) {
  expectLocal(strided(4, 0, 12), 1, 4, 4);               // one index for all
  expectLocal(strided(4, 4), 32, 32, 4);                 // an index for each
  expectLocal(strided(8, 0), 2, 8, 8);                   // two words
  expectLocal(strided(1, 0, 5), 1, 4, 4);                // a byte takes its word
  expectLocal(strided(1, 1), 8, 8, 4);                   // four lanes each in words 0 to 7
  expectLocal(strided(4, 0, 0, lanes({0, 9})), 1, 2, 2); // two groups of eight
  expectLocal(strided(4, 4, 0, lanes({0, 1})), 2, 2, 1);
  expectLocal(request(4, [](unsigned T) { return int64_t(T / 16) * 4; }), 2, 4, 4); // halves: no excess
  expectLocal(strided(4, 4, 0, 0), 0, 0, 0);
  EXPECT_EQ(localCost(strided(4, 0)).sectorEfficiency(), 1.0);
  EXPECT_EQ(localCost(strided(4, 4)).sectorEfficiency(), 0.125);
}

//===-- Corners --------------------------------------------------------------===//

TEST(Global, NoLanesCostNothing) {
  for (const Request &R : {strided(4, 4, 0, 0), strided(0, 4)}) {
    const GlobalCost Cost = globalCost(R);
    EXPECT_EQ(Cost.lines, 0u);
    EXPECT_EQ(Cost.sectors, 0u);
    EXPECT_EQ(Cost.idealSectors, 0u);
    EXPECT_EQ(Cost.excessSectors(), 0u);
    EXPECT_EQ(Cost.efficiency(), 1.0);
    EXPECT_EQ(Cost.sectorEfficiency(), 1.0);
  }
}

TEST(Global, NegativeAddressesFloor) {
  // A halo read a[i - 1]: lane 0 lies on the line below the base.
  const GlobalCost Halo = globalCost(strided(4, 4, -4));
  EXPECT_EQ(Halo.lines, 2u);
  EXPECT_EQ(Halo.sectors, 5u);
  EXPECT_EQ(globalCost(strided(4, 4, -128)).lines, 1u);
  EXPECT_EQ(globalCost(strided(4, -4)).lines, 2u); // lane 0 at 0, lane 31 at -124
  EXPECT_EQ(globalCost(strided(4, -4, -4)).lines, 1u);
}

TEST(Global, AnyWidth) {
  const GlobalCost Struct = globalCost(strided(12, 12));
  EXPECT_EQ(Struct.lines, 3u);
  EXPECT_EQ(Struct.sectors, 12u);
  EXPECT_EQ(Struct.idealSectors, 12u);
  EXPECT_EQ(Struct.distinctBytes, 384u);
  // One lane over a line boundary.
  const GlobalCost Across = globalCost(strided(12, 0, 120, 1));
  EXPECT_EQ(Across.lines, 2u);
  EXPECT_EQ(Across.sectors, 2u);
  EXPECT_EQ(Across.idealSectors, 1u);
  EXPECT_EQ(Across.distinctBytes, 12u);
  // Overlapping lanes count a byte once.
  EXPECT_EQ(globalCost(strided(16, 4)).distinctBytes, 31u * 4 + 16);
  EXPECT_EQ(globalCost(strided(300, 0, 5, 1)).lines, 3u);
}

TEST(Global, EndsOfTheAddressRange) {
  const int64_t Low = std::numeric_limits<int64_t>::min(), High = std::numeric_limits<int64_t>::max();
  const GlobalCost Cost = globalCost(request(4, [=](unsigned T) { return T % 2 ? Low : High; }));
  EXPECT_EQ(Cost.lines, 2u);
  EXPECT_EQ(Cost.sectors, 2u);
  EXPECT_EQ(Cost.distinctBytes, 5u); // the one byte that is left at the top, four at the bottom
}

TEST(Shared, StoresDoNotMerge) {
  EXPECT_EQ(sharedCost(strided(8, 0), /*isLoad=*/true).wavefronts, 1u);
  EXPECT_EQ(sharedCost(strided(8, 0), /*isLoad=*/false).wavefronts, 2u);
  EXPECT_EQ(sharedCost(strided(16, 0), /*isLoad=*/true).wavefronts, 2u);
  EXPECT_EQ(sharedCost(strided(16, 0), /*isLoad=*/false).wavefronts, 4u);
}

TEST(Shared, ConflictsCountInsideAMergedPhase) {
  // Quarter-warps 0 and 1 each read one element, of the same banks: free apart, two words per bank together.
  const Request R = request(16, [](unsigned T) { return int64_t(T / 8) * 128; });
  const SharedCost Load = sharedCost(R, true), Store = sharedCost(R, false);
  EXPECT_EQ(Load.phases, 2u);
  EXPECT_EQ(Load.conflictWays, 2u);
  EXPECT_EQ(Load.wavefronts, 4u);
  EXPECT_EQ(Store.phases, 4u);
  EXPECT_EQ(Store.conflictWays, 1u);
  EXPECT_EQ(Store.wavefronts, 4u);
}

TEST(Shared, OnlyOneRuleForTheWholeWarpMerges) {
  // Half of the warp agrees in xor-1 pairs, half in xor-2 pairs: neither holds throughout.
  const Request Mixed =
      request(8, [](unsigned T) { return 8 * int64_t(T < 16 ? T / 2 : T / 4 * 2 + T % 2); });
  EXPECT_EQ(sharedCost(Mixed, true).phases, 2u);
  const Request Xor2 = request(8, [](unsigned T) { return 8 * int64_t(T / 4 * 2 + T % 2); });
  EXPECT_EQ(sharedCost(Xor2, true).phases, 1u);
}

TEST(Shared, BytesOfOneWordDoNotConflict) {
  EXPECT_EQ(sharedCost(strided(1, 1), true).conflictWays, 1u);
  EXPECT_EQ(sharedCost(request(1, [](unsigned T) { return int64_t(T % 4); }), true).wavefronts, 1u);
}

TEST(Shared, NoLanesAndEmptyPhases) {
  const SharedCost None = sharedCost(strided(4, 4, 0, 0), true);
  EXPECT_EQ(None.phases, 0u);
  EXPECT_EQ(None.wavefronts, 0u);
  EXPECT_EQ(None.idealWavefronts, 0u);
  EXPECT_EQ(None.conflictWays, 0u);
  EXPECT_EQ(sharedCost(strided(16, 16, 0, 0xff), false).phases, 1u);
}

TEST(Shared, NegativeAddresses) {
  EXPECT_EQ(bankOf(-1), 31u);
  EXPECT_EQ(bankOf(-4), 31u);
  EXPECT_EQ(bankOf(-128), 0u);
  EXPECT_EQ(sharedCost(strided(4, 4, -64), true).wavefronts, 1u);
}

//===-- Against brute force ----------------------------------------------------===//

int64_t floorDiv(int64_t A, int64_t B) { return A / B - (A % B != 0 && A < 0); }

GlobalCost naiveGlobal(const Request &R) {
  std::set<int64_t> Bytes, Sectors, Lines;
  unsigned Active = 0;
  for (unsigned Lane = 0; Lane < 32; ++Lane) {
    if (!(R.active >> Lane & 1))
      continue;
    ++Active;
    for (unsigned B = 0; B < R.width; ++B) {
      const int64_t Byte = R.address[Lane] + B;
      Bytes.insert(Byte);
      Sectors.insert(floorDiv(Byte, 32));
      Lines.insert(floorDiv(Byte, 128));
    }
  }
  GlobalCost Cost;
  Cost.lines = unsigned(Lines.size());
  Cost.sectors = unsigned(Sectors.size());
  Cost.idealSectors = (Active * R.width + 31) / 32;
  Cost.distinctBytes = unsigned(Bytes.size());
  return Cost;
}

SharedCost naiveShared(const Request &R, bool IsLoad) {
  auto Merges = [&](unsigned Distance) {
    for (unsigned Lane = 0; Lane < 32; ++Lane)
      if ((R.active >> Lane & 1) && (R.active >> (Lane ^ Distance) & 1) &&
          R.address[Lane] != R.address[Lane ^ Distance])
        return false;
    return true;
  };
  unsigned Phases = R.width <= 4 ? 1 : R.width / 4;
  if (IsLoad && R.width > 4 && R.width <= 16 && (Merges(1) || Merges(2)))
    Phases /= 2;
  SharedCost Cost;
  unsigned Active = 0;
  for (unsigned Phase = 0; Phase < Phases; ++Phase) {
    std::map<int64_t, std::set<int64_t>> WordsOfBank;
    for (unsigned Lane = 0; Lane < 32; ++Lane) {
      if (Lane * Phases / 32 != Phase || !(R.active >> Lane & 1))
        continue;
      ++Active;
      for (unsigned B = 0; B < R.width; ++B) {
        const int64_t Word = floorDiv(R.address[Lane] + B, 4);
        WordsOfBank[((Word % 32) + 32) % 32].insert(Word);
      }
    }
    unsigned Most = 0;
    for (const auto &[Bank, Words] : WordsOfBank)
      Most = std::max(Most, unsigned(Words.size()));
    Cost.phases += Most > 0;
    Cost.wavefronts += Most;
    Cost.conflictWays = std::max(Cost.conflictWays, Most);
  }
  Cost.idealWavefronts = (Active * R.width + 127) / 128;
  return Cost;
}

/// Requests of the sorts that kernels make, and plain noise; natural alignment or not.
class RandomRequests {
  std::mt19937_64 Engine{20240517};

public:
  int64_t number(int64_t Low, int64_t High) {
    return std::uniform_int_distribution<int64_t>(Low, High)(Engine);
  }

  Request next(std::initializer_list<unsigned> Widths) {
    const unsigned Width = Widths.begin()[number(0, int64_t(Widths.size()) - 1)];
    const int64_t Unit = number(0, 3) ? Width : 1, Base = number(-600, 600) * Unit;
    uint32_t Active = ~uint32_t(0);
    switch (number(0, 3)) {
    case 0:
      Active = uint32_t(Engine());
      break;
    case 1:
      Active = uint32_t((uint64_t(1) << number(0, 32)) - 1);
      break;
    case 2:
      Active = uint32_t(Engine() & Engine() & Engine());
      break;
    }
    switch (number(0, 4)) {
    case 0: // noise in a small window: many coincidences
      return request(
          Width, [&, Window = number(1, 80)](unsigned) { return Base + Unit * number(0, Window); }, Active);
    case 1: // far apart
      return request(
          Width, [&](unsigned) { return Unit * number(-(int64_t(1) << 40), int64_t(1) << 40); }, Active);
    case 2: // two-dimensional
      return request(
          Width,
          [=, Row = number(0, 200), Edge = number(1, 32), Column = number(0, 4)](unsigned T) {
            return Base + Unit * (T / Edge * Row + T % Edge * Column);
          },
          Active);
    case 3: // lanes in groups, which merge
      return request(
          Width,
          [=, Shift = number(0, 2), Low = number(0, 1), Stride = number(0, 40)](unsigned T) {
            return Base + Unit * Stride * ((T >> Shift) * 2 + (Low ? T & 1 : 0));
          },
          Active);
    default:
      return strided(Width, Unit * number(-40, 40), Base, Active);
    }
  }
};

std::string describe(const Request &R) {
  std::string Text = "width " + std::to_string(R.width) + ":";
  for (unsigned Lane = 0; Lane < 32; ++Lane)
    Text += R.active >> Lane & 1 ? ' ' + std::to_string(R.address[Lane]) : " -";
  return Text;
}

TEST(Property, GlobalMatchesSets) {
  RandomRequests Random;
  for (unsigned I = 0; I < 4000; ++I) {
    const Request R = Random.next({1, 2, 3, 4, 8, 12, 16, 20, 32});
    SCOPED_TRACE(describe(R));
    const GlobalCost Cost = globalCost(R), Naive = naiveGlobal(R);
    ASSERT_EQ(Cost.lines, Naive.lines);
    ASSERT_EQ(Cost.sectors, Naive.sectors);
    ASSERT_EQ(Cost.idealSectors, Naive.idealSectors);
    ASSERT_EQ(Cost.distinctBytes, Naive.distinctBytes);
    ASSERT_LE(Cost.lines, Cost.sectors);
    ASSERT_LE(Cost.efficiency(), Cost.sectorEfficiency());
    ASSERT_LE(Cost.sectorEfficiency(), 1.0);
  }
}

TEST(Property, SharedMatchesSets) {
  RandomRequests Random;
  unsigned Merged = 0;
  for (unsigned I = 0; I < 4000; ++I) {
    const Request R = Random.next({1, 2, 4, 8, 16, 32});
    SCOPED_TRACE(describe(R));
    for (bool IsLoad : {true, false}) {
      const SharedCost Cost = sharedCost(R, IsLoad), Naive = naiveShared(R, IsLoad);
      ASSERT_EQ(Cost.phases, Naive.phases);
      ASSERT_EQ(Cost.wavefronts, Naive.wavefronts);
      ASSERT_EQ(Cost.idealWavefronts, Naive.idealWavefronts);
      ASSERT_EQ(Cost.conflictWays, Naive.conflictWays);
    }
    Merged += sharedCost(R, true).phases < sharedCost(R, false).phases;
  }
  EXPECT_GT(Merged, 100u) << "the requests hardly ever exercise merging";
}

TEST(Property, ConstantMatchesSets) {
  RandomRequests Random;
  for (unsigned I = 0; I < 1000; ++I) {
    const Request R = Random.next({4});
    std::set<int64_t> Addresses;
    for (unsigned Lane = 0; Lane < 32; ++Lane)
      if (R.active >> Lane & 1)
        Addresses.insert(R.address[Lane]);
    ASSERT_EQ(constantCost(R), Addresses.size()) << describe(R);
  }
}

/// Costs depend on addresses modulo a line alone, and global costs not on which lane has which address.
TEST(Property, SymmetriesOfTheModel) {
  RandomRequests Random;
  for (unsigned I = 0; I < 1000; ++I) {
    const Request R = Random.next({1, 2, 4, 8, 16});
    SCOPED_TRACE(describe(R));
    Request Moved = R, Reversed = R;
    const int64_t Shift = Random.number(-1000, 1000) * LineBytes;
    Reversed.active = 0;
    for (unsigned Lane = 0; Lane < 32; ++Lane) {
      Moved.address[Lane] += Shift;
      Reversed.address[Lane] = R.address[31 - Lane];
      Reversed.active |= (R.active >> (31 - Lane) & 1) << Lane;
    }
    ASSERT_EQ(globalCost(Moved).lines, globalCost(R).lines);
    ASSERT_EQ(globalCost(Moved).sectors, globalCost(R).sectors);
    ASSERT_EQ(sharedCost(Moved, true).wavefronts, sharedCost(R, true).wavefronts);
    ASSERT_EQ(globalCost(Reversed).lines, globalCost(R).lines);
    ASSERT_EQ(globalCost(Reversed).sectors, globalCost(R).sectors);
  }
}

} // namespace
