//===-- Parse.cpp - Reading index expressions -----------------------------===//
//
// Recursive descent with C's precedences. Nesting is limited, so that no text can exhaust the stack; the
// limit is above what print() needs for the deepest expression there is.
//
//===----------------------------------------------------------------------===//
#include "analyzer/index/Storage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace warplint::index {

namespace {
bool startsIdentifier(char C) { return isAlpha(C) || C == '_' || C == '$' || (C & 0x80); }
bool inIdentifier(char C) { return startsIdentifier(C) || isDigit(C); }

size_t identifierLength(StringRef Text) {
  if (Text.empty() || !startsIdentifier(Text[0]))
    return 0;
  return Text.take_while(inIdentifier).size();
}

/// The length of the bracketed group at the start of Text, 0 if it is not closed.
size_t groupLength(StringRef Text, char &Missing) {
  SmallVector<char, 16> Closers;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '[' || C == '(') {
      Closers.push_back(C == '[' ? ']' : ')');
    } else if (C == ']' || C == ')') {
      if (C != Closers.back())
        break;
      Closers.pop_back();
      if (Closers.empty())
        return I + 1;
    } else if (C == '`' || (C >= 0 && C < ' ')) {
      break;
    }
  }
  Missing = Closers.back();
  return 0;
}

/// sext8 -> 8 for the prefix "sext"; 0 when the name is something else.
unsigned extensionBits(StringRef Name, StringRef Prefix) {
  unsigned Bits = 0;
  if (!Name.consume_front(Prefix) || Name.size() > 2 || Name.starts_with("0") ||
      Name.getAsInteger(10, Bits) || Bits > 64)
    return 0;
  return Bits;
}

struct Function {
  StringRef Name;
  Op Operation;
};
constexpr Function Functions[] = {{"min", Op::Min}, {"max", Op::Max},   {"floordiv", Op::DivFloor},
                                  {"mod", Op::Mod}, {"lshr", Op::LShr}, {"ult", Op::ULt},
                                  {"ule", Op::ULe}};
} // namespace

bool isFunctionName(StringRef Name) {
  return llvm::any_of(Functions, [&](const Function &F) { return F.Name == Name; }) ||
         extensionBits(Name, "sext") || extensionBits(Name, "zext");
}

size_t plainAtomLength(StringRef Text, char &Missing) {
  size_t Length = identifierLength(Text);
  if (!Length)
    return 0;
  while (true) {
    StringRef Rest = Text.drop_front(Length);
    size_t Separator = Rest.starts_with("->") || Rest.starts_with("::") ? 2 : Rest.starts_with(".") ? 1 : 0;
    if (Separator) {
      size_t Name = identifierLength(Rest.drop_front(Separator));
      if (!Name)
        return Length;
      Length += Separator + Name;
    } else if (Rest.starts_with("[") || Rest.starts_with("(")) {
      size_t Group = groupLength(Rest, Missing);
      if (!Group)
        return Length;
      Length += Group;
    } else {
      return Length;
    }
  }
}

namespace {
struct Binary {
  StringRef Spelling;
  int Precedence;
  std::optional<Op> Operation; ///< nothing for + - * and the logical operators
  bool Mirrored = false;
};
// Longer spellings first.
constexpr Binary Binaries[] = {
    {"||", 1, std::nullopt}, {"&&", 2, std::nullopt}, {"==", 6, Op::Eq},      {"!=", 6, Op::Ne},
    {"<<", 8, Op::Shl},      {">>", 8, Op::AShr},     {"<=", 7, Op::Le},      {">=", 7, Op::Le, true},
    {"<", 7, Op::Lt},        {">", 7, Op::Lt, true},  {"|", 3, Op::Or},       {"^", 4, Op::Xor},
    {"&", 5, Op::And},       {"+", 9, std::nullopt},  {"-", 9, std::nullopt}, {"*", 10, std::nullopt},
    {"/", 10, Op::DivTrunc}, {"%", 10, Op::RemTrunc},
};
constexpr int AdditivePrecedence = 9;
// A printed operation takes up to three groups or branches, each counted here and once more for its first
// operand.
constexpr unsigned MaxNesting = 8 * MaxDepth;

/// What is not part of the recursion stays out of line: its locals would be in every frame.
class Parser {
public:
  Parser(Context &Owner, StringRef Source) : C(Owner), Text(Source) {}

  Expected<Expr> run() {
    Expr Result = conditional();
    skipSpace();
    if (!failed() && Position != Text.size())
      Result = fail("expected an operator or the end");
    if (failed())
      return createStringError(inconvertibleErrorCode(), Message);
    return Result;
  }

private:
  bool failed() const { return !Message.empty(); }
  LLVM_ATTRIBUTE_NOINLINE Expr failAt(size_t At, const Twine &What) {
    if (!failed())
      Message = formatv("column {0}: {1}", At + 1, What.str()).str();
    return Expr();
  }
  Expr fail(const Twine &What) { return failAt(Position, What); }
  /// Operators on valid operands are invalid only beyond the limits of a context.
  Expr checked(Expr E, size_t At) {
    if (!E && !failed())
      return failAt(At, "expression too large");
    return E;
  }

  void skipSpace() {
    while (Position < Text.size() && isSpace(Text[Position]))
      ++Position;
  }
  bool consume(StringRef Token) {
    skipSpace();
    if (!Text.substr(Position).starts_with(Token))
      return false;
    Position += Token.size();
    return true;
  }
  bool expect(char Token) {
    if (consume(StringRef(&Token, 1)))
      return true;
    fail(Twine("expected '") + Twine(Token) + "'");
    return false;
  }

  struct NestingScope {
    explicit NestingScope(Parser &Owner) : P(Owner) { ++P.Nesting; }
    ~NestingScope() { --P.Nesting; }
    Parser &P;
  };

  /// The width after an operator: "@64"; 32 if there is none.
  unsigned width() {
    if (!Text.substr(Position).starts_with("@"))
      return 32;
    size_t At = ++Position;
    unsigned Bits = 0;
    StringRef Digits = Text.substr(Position).take_while([](char D) { return isDigit(D); });
    Position += Digits.size();
    if (Digits.size() > 2 || Digits.getAsInteger(10, Bits) || Bits < 1 || Bits > 64) {
      failAt(At, "expected a width of 1 to 64 bits");
      return 32;
    }
    return Bits;
  }

  Expr conditional() {
    NestingScope Scope(*this);
    if (Nesting > MaxNesting)
      return fail("nested too deeply");
    Expr Condition = binary();
    skipSpace();
    size_t At = Position;
    if (failed() || !consume("?"))
      return Condition;
    Expr IfTrue = conditional();
    if (failed() || !expect(':'))
      return Expr();
    Expr IfFalse = conditional();
    if (failed())
      return Expr();
    return checked(C.apply(Op::Select, 32, {Condition, IfTrue, IfFalse}), At);
  }

  const Binary *peekBinary() {
    skipSpace();
    StringRef Rest = Text.substr(Position);
    for (const Binary &B : Binaries)
      if (Rest.starts_with(B.Spelling))
        return &B;
    return nullptr;
  }

  struct Pending {
    const Binary *Operator;
    unsigned Bits;
    size_t Position;
  };

  /// A chain of binary operators, by precedence. Operands and operators wait on stacks of their own, so that
  /// the program's stack grows with parentheses only.
  Expr binary() {
    SmallVector<Expr, 4> Operands;
    SmallVector<Pending, 4> Operators;
    while (true) {
      Expr Operand = unary();
      if (failed())
        return Expr();
      Operands.push_back(Operand);
      const Binary *Next = peekBinary();
      // A run of summands waits until it is complete: adding it up one by one would copy it each time.
      while (!Operators.empty() && (!Next || Operators.back().Operator->Precedence > Next->Precedence ||
                                    (Operators.back().Operator->Precedence == Next->Precedence &&
                                     Next->Precedence != AdditivePrecedence)))
        reduce(Operands, Operators);
      if (failed())
        return Expr();
      if (!Next)
        return Operands[0];
      size_t At = Position;
      Position += Next->Spelling.size();
      Operators.push_back({Next, Next->Operation ? width() : 32, At});
    }
  }

  void reduce(SmallVectorImpl<Expr> &Operands, SmallVectorImpl<Pending> &Operators) {
    Pending Last = Operators.back();
    size_t Run = 1;
    if (Last.Operator->Precedence == AdditivePrecedence)
      while (Run < Operators.size() &&
             Operators[Operators.size() - Run - 1].Operator->Precedence == AdditivePrecedence)
        ++Run;
    MutableArrayRef<Expr> Top = MutableArrayRef<Expr>(Operands).take_back(Run + 1);
    Expr Result;
    if (Last.Operator->Precedence == AdditivePrecedence) {
      for (size_t I = 0; I < Run; ++I)
        if (Operators[Operators.size() - Run + I].Operator->Spelling == "-")
          Top[I + 1] = C.neg(Top[I + 1]);
      Result = C.sum(Top);
    } else {
      Result = combine(*Last.Operator, Last.Bits, Top[0], Top[1]);
    }
    Operators.truncate(Operators.size() - Run);
    Operands.truncate(Operands.size() - Run);
    Operands.back() = checked(Result, Last.Position);
  }

  Expr combine(const Binary &B, unsigned Bits, Expr Left, Expr Right) {
    if (B.Operation)
      return B.Mirrored ? C.apply(*B.Operation, Bits, {Right, Left})
                        : C.apply(*B.Operation, Bits, {Left, Right});
    if (B.Spelling == "*")
      return C.mul(Left, Right);
    Op Logical = B.Spelling == "&&" ? Op::And : Op::Or;
    Expr Zero = C.constant(0);
    return C.apply(Logical, 32, {C.apply(Op::Ne, 64, {Left, Zero}), C.apply(Op::Ne, 64, {Right, Zero})});
  }

  Expr unary() {
    NestingScope Scope(*this);
    if (Nesting > MaxNesting)
      return fail("nested too deeply");
    skipSpace();
    size_t At = Position;
    if (consume("-")) {
      skipSpace();
      if (Position < Text.size() && isDigit(Text[Position]))
        return number(/*Negative=*/true);
      Expr Operand = unary();
      return failed() ? Expr() : checked(C.neg(Operand), At);
    }
    if (consume("+"))
      return unary();
    if (consume("~")) {
      unsigned Bits = width();
      Expr Operand = unary();
      return failed() ? Expr() : checked(C.apply(Op::Xor, Bits, {Operand, C.constant(-1)}), At);
    }
    if (consume("!")) {
      Expr Operand = unary();
      return failed() ? Expr() : checked(C.apply(Op::Eq, 64, {Operand, C.constant(0)}), At);
    }
    return primary();
  }

  LLVM_ATTRIBUTE_NOINLINE Expr number(bool Negative) {
    size_t At = Position;
    StringRef Word = Text.substr(Position).take_while(inIdentifier);
    Position += Word.size();
    StringRef Digits = Word.rtrim("uUlL");
    uint64_t Magnitude = 0;
    bool Hexadecimal = Digits.consume_front("0x") || Digits.consume_front("0X");
    auto IsDigit = [&](char D) { return Hexadecimal ? isHexDigit(D) : isDigit(D); };
    if (Digits.empty() || !llvm::all_of(Digits, IsDigit))
      return failAt(At, "expected a number");
    if (Digits.getAsInteger(Hexadecimal ? 16 : 10, Magnitude) || Magnitude > (uint64_t(1) << 63) - !Negative)
      return failAt(At, "number does not fit 64 bits");
    return C.constant(int64_t(Negative ? -Magnitude : Magnitude));
  }

  Expr primary() {
    skipSpace();
    if (Position == Text.size())
      return fail("expected an operand");
    if (isDigit(Text[Position]))
      return number(/*Negative=*/false);
    if (consume("(")) {
      Expr Inner = conditional();
      return failed() || !expect(')') ? Expr() : Inner;
    }
    if (Text[Position] == '`')
      return quotedAtom();
    StringRef Rest = Text.substr(Position);
    StringRef Identifier = Rest.take_front(identifierLength(Rest));
    if (Identifier.empty())
      return fail("expected an operand");
    if (isFunctionName(Identifier))
      return call(Identifier);
    char Missing = 0;
    size_t Length = plainAtomLength(Rest, Missing);
    Position += Length;
    if (Missing)
      return fail(Twine("unfinished name, expected '") + Twine(Missing) + "'");
    return atom(Rest.take_front(Length));
  }

  LLVM_ATTRIBUTE_NOINLINE Expr atom(StringRef Name) {
    if (Expr Known = C.findAtom(Name))
      return Known;
    bool Lane = Name == "threadIdx.x" || Name == "threadIdx.y" || Name == "threadIdx.z";
    return C.atom(Name, Lane ? AtomSort::LaneVarying : AtomSort::Uniform);
  }

  /// `name`, in which a backquote is doubled.
  LLVM_ATTRIBUTE_NOINLINE Expr quotedAtom() {
    size_t At = Position++;
    std::string Name;
    for (; Position < Text.size(); ++Position) {
      if (Text[Position] == '`') {
        ++Position;
        if (Position == Text.size() || Text[Position] != '`')
          return atom(Name);
      }
      Name += Text[Position];
    }
    return failAt(At, "unfinished name, expected '`'");
  }

  LLVM_ATTRIBUTE_NOINLINE Expr call(StringRef Name) {
    size_t At = Position;
    Position += Name.size();
    Op Operation = Op::SExt;
    unsigned Bits = extensionBits(Name, "sext");
    if (!Bits) {
      Operation = Op::ZExt;
      Bits = extensionBits(Name, "zext");
    }
    size_t Count = 1;
    if (!Bits) {
      Operation = llvm::find_if(Functions, [&](const Function &F) { return F.Name == Name; })->Operation;
      Bits = width();
      Count = 2;
    }
    if (failed() || !expect('('))
      return Expr();
    SmallVector<Expr, 2> Arguments;
    for (size_t I = 0; I < Count; ++I) {
      if (I && !expect(','))
        return Expr();
      Arguments.push_back(conditional());
      if (failed())
        return Expr();
    }
    if (!expect(')'))
      return Expr();
    return checked(C.apply(Operation, Bits, Arguments), At);
  }

  Context &C;
  StringRef Text;
  size_t Position = 0;
  unsigned Nesting = 0;
  std::string Message;
};
} // namespace

Expected<Expr> Context::parse(StringRef Text) { return Parser(*this, Text).run(); }

} // namespace warplint::index
