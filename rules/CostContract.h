//===-- CostContract.h - What the source says an access must cost ------*- C++ -*-===//
//
// `expect sectors<=4, efficiency>=0.9`: read, and held against analysed kernels. Finding such words in
// comments is not done here. CostContract.cpp has the user page.
//
//===----------------------------------------------------------------------===//
#ifndef WARPLINT_RULES_COSTCONTRACT_H
#define WARPLINT_RULES_COSTCONTRACT_H

#include "analyzer/result/Result.h"
#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace warplint::rules {

inline constexpr llvm::StringLiteral CostContractName = "cost-contract";

enum class Comparison { AtMost, AtLeast, Equal, Below, Above };

/// `sectors<=4`
struct CostClause {
  std::string key; ///< of the JSON report
  Comparison comparison = Comparison::AtMost;
  double bound = 0;
  std::string text; ///< without blanks
};

/// What follows the word `expect`.
struct CostTerms {
  std::string subject; ///< in brackets: the base or the expression of the accesses that are meant; "": all
  std::vector<CostClause> clauses;
};

/// What is wrong with a contract's words, and where in them.
struct ContractProblem {
  size_t offset = 0;
  std::string message;
};

/// Of the text after `expect`, or after an option's kernel name.
std::variant<CostTerms, ContractProblem> parseCostTerms(llvm::StringRef);
/// Reads back as the same terms.
std::string spelling(const CostTerms &);

/// Terms and what they are about.
struct Contract {
  CostTerms terms;
  //--- In a comment ----------------------------------------------------------
  result::Place place;                  ///< of the comment; not valid for an option
  std::set<std::string> files;          ///< the names that the comment's file has in the report
  unsigned firstLine = 0, lastLine = 0; ///< the code it speaks of
  bool beforeKernel =
      false; ///< that code declares a kernel; else it holds accesses, or a kernel for all that is known
  bool conditional = false; ///< under an #if, which may leave the code out
  //--- On the command line ---------------------------------------------------
  std::string kernel; ///< glob for kernels' names
};

/// One error for each access or kernel that does not keep to its contract, or of which that cannot be said;
/// one for each contract that speaks of nothing that was analysed. Sorted by place.
std::vector<result::Finding> checkContracts(const std::vector<result::Kernel> &,
                                            const std::vector<Contract> &);

/// An error about the words of a contract itself.
result::Finding malformedContract(result::Place, std::string Message);

/// Does an option's contract name a kernel of the report?
bool namesKernel(const Contract &, const result::Kernel &);

} // namespace warplint::rules

#endif
