//! The text of a pinned verifying key, and the files of `src/halo2/orchard` that follow from it.

use std::fmt::Write;

/// A value as `{:?}` writes it.
#[derive(Debug)]
enum Value {
    /// A structure or a tuple; an element of a tuple has no name. The name of a pair is empty.
    Structure(String, Vec<(String, Value)>),
    List(Vec<Value>),
    Atom(String),
}

struct Parser<'a>(&'a str);

impl Parser<'_> {
    fn skip(&mut self, text: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn word(&mut self) -> String {
        let text = self.0.trim_start();
        let end =
            text.find(|c: char| !(c.is_alphanumeric() || "_-\"".contains(c))).unwrap_or(text.len());
        self.0 = &text[end..];
        text[..end].into()
    }

    fn value(&mut self) -> Value {
        if self.skip("[") {
            return Value::List(self.items("]", |parser| parser.value()));
        }
        let name = self.word();
        if self.skip("(") {
            return Value::Structure(
                name,
                self.items(")", |parser| (String::new(), parser.value())),
            );
        }
        if !self.skip("{") {
            return Value::Atom(name);
        }
        let field = |parser: &mut Self| {
            let name = parser.word();
            assert!(parser.skip(":"), "{:.60}", parser.0);
            (name, parser.value())
        };
        Value::Structure(name, self.items("}", field))
    }

    fn items<T>(&mut self, end: &str, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = vec![];
        while !self.skip(end) {
            items.push(item(self));
            self.skip(",");
        }
        items
    }
}

impl Value {
    fn field(&self, name: &str) -> &Self {
        let Self::Structure(_, fields) = self else { panic!("{name} of {self:?}") };
        &fields.iter().find(|(field, _)| field == name).unwrap_or_else(|| panic!("no {name}")).1
    }

    fn items(&self) -> Vec<&Self> {
        match self {
            Self::List(items) => items.iter().collect(),
            Self::Structure(_, fields) => fields.iter().map(|(_, value)| value).collect(),
            Self::Atom(_) => panic!("{self:?} has no items"),
        }
    }

    fn atom(&self) -> &str {
        let Self::Atom(text) = self else { panic!("{self:?} has parts") };
        text
    }

    /// A column as a letter and a number.
    fn column(&self) -> String {
        let letter = match self.field("column_type").atom() {
            "Fixed" => 'f',
            "Advice" => 'a',
            "Instance" => 'i',
            other => panic!("{other}"),
        };
        format!("{letter}{}", self.field("index").atom())
    }

    /// An expression in postfix notation.
    fn expression(&self) -> String {
        let Self::Structure(name, _) = self else { panic!("{self:?}") };
        let query = |letter| format!("{letter}{}", self.field("query_index").atom());
        let operands = |operator| {
            let operands: Vec<_> = self.items().into_iter().map(Self::expression).collect();
            format!("{} {operator}", operands.join(" "))
        };
        match &name[..] {
            "Fixed" => query('f'),
            "Advice" => query('a'),
            "Instance" => query('i'),
            "Constant" => constant(self.items()[0]),
            "Negated" => operands("-"),
            "Sum" => operands("+"),
            "Product" => operands("*"),
            "Scaled" => format!("{} {} *", self.items()[0].expression(), constant(self.items()[1])),
            other => panic!("{other}"),
        }
    }

    /// The 32 bytes of a number, lowest first.
    fn bytes(&self) -> [u8; 32] {
        let mut bytes: [u8; 32] = hex::decode(&self.atom()[2..]).unwrap().try_into().unwrap();
        bytes.reverse();
        bytes
    }

    /// A point, compressed.
    fn point(&self) -> String {
        let [x, y] = self.items()[..] else { panic!("{self:?}") };
        let mut bytes = x.bytes();
        bytes[31] |= y.bytes()[0] << 7;
        hex::encode(bytes)
    }
}

fn constant(value: &Value) -> String {
    let digits = value.atom().strip_prefix("0x").unwrap().trim_start_matches('0');
    format!("0x{}", if digits.is_empty() { "0" } else { digits })
}

fn rotation(value: &Value) -> &str {
    value.items()[0].atom()
}

/// The file of a constraint system, without its comment.
fn constraint_system(key: &Value) -> String {
    let cs = key.field("cs");
    let number = |name| cs.field(name).atom();
    assert_eq!(cs.field("minimum_degree").atom(), "None");
    let mut text = format!("k {}\n", key.field("domain").field("k").atom());
    let [fixed, advice, instance] =
        ["num_fixed_columns", "num_advice_columns", "num_instance_columns"].map(number);
    writeln!(text, "columns {fixed} {advice} {instance}").unwrap();
    for list in ["fixed_queries", "advice_queries", "instance_queries"] {
        let query = |query: &Value| {
            let [column, at] = query.items()[..] else { panic!("{query:?}") };
            format!("{}@{}", &column.column()[1..], rotation(at))
        };
        let queries: Vec<_> = cs.field(list).items().into_iter().map(query).collect();
        writeln!(text, "{list} {}", queries.join(" ")).unwrap();
    }
    let columns: Vec<_> =
        cs.field("permutation").field("columns").items().into_iter().map(Value::column).collect();
    writeln!(text, "permutation {}", columns.join(" ")).unwrap();
    for gate in cs.field("gates").items() {
        writeln!(text, "gate {}", gate.expression()).unwrap();
    }
    for lookup in cs.field("lookups").items() {
        text += "lookup\n";
        for (list, word) in [("input_expressions", "input"), ("table_expressions", "table")] {
            for expression in lookup.field(list).items() {
                writeln!(text, "{word} {}", expression.expression()).unwrap();
            }
        }
    }
    text
}

/// The constraint system and the commitments of a key, from the text of its `pinned()`.
pub fn files(pinned: &str) -> (String, String) {
    let mut parser = Parser(pinned);
    let key = parser.value();
    assert_eq!(parser.0.trim(), "");
    let mut commitments = String::new();
    for (word, points) in [
        ("fixed", key.field("fixed_commitments")),
        ("permutation", key.field("permutation").field("commitments")),
    ] {
        for point in points.items() {
            writeln!(commitments, "{word} {}", point.point()).unwrap();
        }
    }
    (constraint_system(&key), commitments)
}
