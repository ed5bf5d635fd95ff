#include "rules/Rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sstream>

using namespace warplint::rules;

static std::string readmeTable() {
  std::ifstream File(WARPLINT_SOURCE_DIR "/rules/README.md");
  std::string Line, Table;
  while (std::getline(File, Line))
    if (!Line.empty() && Line.front() == '|')
      Table += Line + "\n";
  return Table;
}

// "global-aos" is in GlobalAos.cpp.
static std::string fileOf(std::string_view Name) {
  std::string File;
  bool Upper = true;
  for (char C : Name) {
    if (C != '-')
      File += Upper ? char(std::toupper(C)) : C;
    Upper = C == '-';
  }
  return File + ".cpp";
}

TEST(Pages, EveryRuleHasAPageWithTheFixedHeadings) {
  for (const Rule &R : all()) {
    SCOPED_TRACE(R.name);
    const std::string Page(explanation(R));
    EXPECT_EQ(Page.find("# " + std::string(R.name) + "\n"), 0u) << Page.substr(0, 80);
    size_t Last = 0;
    for (const char *Heading :
         {"What it finds", "Why it costs", "Example", "Write instead", "When it stays silent", "Options"}) {
      const size_t At = Page.find("\n## " + std::string(Heading) + "\n");
      ASSERT_NE(At, std::string::npos) << Heading;
      EXPECT_GT(At, Last) << Heading << " is out of order";
      Last = At;
    }
    EXPECT_EQ(Page.find("//==="), std::string::npos);
    EXPECT_THAT(Page, testing::HasSubstr("\n```cuda\n"));
  }
}

TEST(Pages, EveryRuleHasASummaryOfOneSentence) {
  for (const Rule &R : all()) {
    const std::string_view Summary = R.summary;
    EXPECT_GT(Summary.size(), 10u) << R.name;
    EXPECT_LT(Summary.size(), 110u) << R.name;
    EXPECT_NE(Summary.back(), '.') << R.name;
  }
}

TEST(Pages, EveryRuleSaysSomethingOfAccessesOrOfTheKernelOrOfContracts) {
  for (const Rule &R : all())
    EXPECT_EQ((R.access != nullptr) + (R.kernel != nullptr) + R.readsContracts, 1) << R.name;
}

TEST(Pages, EveryOptionIsOnThePageWithItsPreset) {
  for (const Rule &R : all()) {
    const std::string Page(explanation(R));
    const std::string Options = Page.substr(Page.find("\n## Options\n"));
    EXPECT_THAT(Options, testing::HasSubstr("- `Severity`: note, warning or error; `default`: ")) << R.name;
    for (const OptionInfo &Option : R.options)
      EXPECT_THAT(Options, testing::HasSubstr("`" + std::string(Option.name) + "` (" +
                                              (Option.isFlag ? Option.preset ? "true" : "false"
                                                             : std::to_string(Option.preset)) +
                                              ")"))
          << R.name;
  }
}

// When this fails, the right table is in the message: copy it into rules/README.md.
TEST(Pages, TheReadmeTableIsUpToDate) {
  std::string Table = "| rule | default | finds |\n|---|---|---|\n";
  for (const Rule &R : all())
    Table += "| [`" + std::string(R.name) + "`](" + fileOf(R.name) + ") | " + (R.onByDefault ? "on" : "off") +
             " | " + R.summary + " |\n";
  EXPECT_EQ(readmeTable(), Table) << Table;
}
