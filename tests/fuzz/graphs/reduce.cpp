// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/reduce.h"

#include <algorithm>

namespace tenon::graphs {
namespace {

/// Without the nodes that no output needs.
Graph withoutDead(const Graph &graph) {
  std::vector<bool> live(graph.nodes.size());
  for (int output : graph.outputs)
    live[output] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;)
    if (live[i])
      for (int input : graph.nodes[i].inputs)
        live[input] = true;
  Graph result;
  result.onnxForm = graph.onnxForm;
  result.isFlat = graph.isFlat;
  std::vector<int> moved(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!live[i])
      continue;
    moved[i] = int(result.nodes.size());
    result.nodes.push_back(graph.nodes[i]);
    for (int &input : result.nodes.back().inputs)
      input = moved[input];
  }
  for (int output : graph.outputs)
    result.outputs.push_back(moved[output]);
  return result;
}

class Reducer {
public:
  Reducer(Case test, const std::function<bool(const Case &)> &fails,
          unsigned attempts)
      : best(std::move(test)), fails(fails), attempts(attempts) {}

  Case reduce() {
    for (bool smaller = true; smaller && attempts;) {
      smaller = false;
      smaller |= outputs();
      smaller |= cuts();
      smaller |= extents();
      smaller |= numbers();
      smaller |= machine();
    }
    return std::move(best);
  }

private:
  size_t size() const { return best.graph.nodes.size(); }

  /// Takes `test` where it fails as well.
  bool accept(Case test) {
    test.graph = withoutDead(test.graph);
    if (!attempts || !shapesOf(test.graph))
      return false;
    --attempts;
    if (!fails(test))
      return false;
    best = std::move(test);
    return true;
  }

  template <typename Change> bool change(size_t node, Change change) {
    if (node >= size())
      return false;
    Case test = best;
    if (!change(test.graph.nodes[node]))
      return false;
    return accept(std::move(test));
  }

  /// A prefix of the graph; fewer of its outputs.
  bool outputs() {
    bool smaller = false;
    for (size_t i = 0; i < size(); ++i) {
      Case test = best;
      if (best.graph.outputs == std::vector<int>{int(i)} ||
          test.graph.nodes[i].op == Op::Input)
        continue;
      test.graph.outputs = {int(i)};
      smaller |= accept(std::move(test));
    }
    for (size_t i = 0;
         best.graph.outputs.size() > 1 && i < best.graph.outputs.size();) {
      Case test = best;
      test.graph.outputs.erase(test.graph.outputs.begin() + i);
      bool taken = accept(std::move(test));
      smaller |= taken;
      i += !taken;
    }
    return smaller;
  }

  /// A node becomes an input, or is passed by.
  bool cuts() {
    bool smaller = false;
    for (size_t i = size(); i-- > 0;) {
      if (i >= size() || best.graph.nodes[i].op == Op::Input)
        continue;
      Case test = best;
      Node &node = test.graph.nodes[i];
      Node input;
      input.shape = (*shapesOf(best.graph))[i];
      input.scale = node.scale;
      input.zeroPoint = node.zeroPoint;
      input.transposed = test.graph.onnxForm;
      node = input;
      if (std::find(best.graph.outputs.begin(), best.graph.outputs.end(),
                    int(i)) == best.graph.outputs.end() &&
          accept(std::move(test))) {
        smaller = true;
        continue;
      }
      smaller |= passBy(i);
    }
    return smaller;
  }

  bool passBy(size_t index) {
    Case test = best;
    int instead = test.graph.nodes[index].inputs[0];
    for (Node &node : test.graph.nodes)
      for (int &input : node.inputs)
        if (input == int(index))
          input = instead;
    std::vector<int> outputs;
    for (int output : test.graph.outputs)
      if (int to = output == int(index) ? instead : output;
          std::find(outputs.begin(), outputs.end(), to) == outputs.end())
        outputs.push_back(to);
    test.graph.outputs = outputs;
    return test.graph.nodes[outputs.back()].op != Op::Input &&
           accept(std::move(test));
  }

  /// `value` of some node towards `least`: there at once, by half, by one.
  template <typename Member>
  bool shrink(size_t node, Member member, int64_t least) {
    bool smaller = false;
    for (bool again = true; again;) {
      again = false;
      if (node >= size())
        return smaller;
      int64_t now = *member(best.graph.nodes[node]);
      for (int64_t next : {least, (now + least) / 2, now - 1})
        if (next >= least && next < now && !again)
          again = change(node, [&](Node &n) {
            *member(n) = next;
            return true;
          });
      smaller |= again;
    }
    return smaller;
  }

  bool extents() {
    bool smaller = false;
    for (size_t i = 0; i < size(); ++i) {
      for (size_t axis = 0; axis < best.graph.nodes[i].shape.size(); ++axis)
        smaller |= shrink(i, [axis](Node &n) { return &n.shape[axis]; }, 1);
      smaller |= shrink(i, [](Node &n) { return &n.groups; }, 1);
      smaller |= shrink(i, [](Node &n) { return &n.channels; }, 1);
      for (int side = 0; side < 4; ++side)
        smaller |= shrink(i, [side](Node &n) { return &n.pad[side]; }, 0);
      for (int axis = 0; axis < 2; ++axis) {
        smaller |= shrink(i, [axis](Node &n) { return &n.kernel[axis]; }, 1);
        smaller |= shrink(i, [axis](Node &n) { return &n.stride[axis]; }, 1);
        smaller |= shrink(i, [axis](Node &n) { return &n.dilation[axis]; }, 1);
      }
    }
    return smaller;
  }

  template <typename Value>
  bool plain(size_t node, Value Node::*member, Value value) {
    return change(node, [&](Node &n) {
      if (n.*member == value)
        return false;
      n.*member = value;
      return true;
    });
  }

  bool numbers() {
    bool smaller = false;
    for (size_t i = 0; i < size(); ++i) {
      smaller |= plain(i, &Node::otherForm, false);
      smaller |= plain(i, &Node::isUnsigned, false);
      if (!best.graph.onnxForm)
        smaller |= plain(i, &Node::transposed, false);
      smaller |= plain(i, &Node::named, true);
      smaller |= plain(i, &Node::weightZeroPoint, 0);
      smaller |= plain(i, &Node::zeroPoint, 0);
      smaller |= plain(i, &Node::low, -128);
      smaller |= plain(i, &Node::high, 127);
      smaller |= plain(i, &Node::multiplierBits, 31);
      smaller |= change(i, [](Node &n) {
        bool many = n.weightScales.size() > 1;
        n.weightScales.resize(1);
        return many;
      });
    }
    return smaller;
  }

  bool machine() {
    bool smaller = false;
    for (const char *name : {"tiny", "pynq"}) {
      const std::string &now = best.machine.configuration;
      if (now == "tiny" || now == name)
        continue;
      Case test = best;
      test.machine.configuration = name;
      smaller |= accept(std::move(test));
    }
    Case test = best;
    test.machine.virtualThreads = 1;
    return (best.machine.virtualThreads != 1 && accept(std::move(test))) ||
           smaller;
  }

  Case best;
  const std::function<bool(const Case &)> &fails;
  unsigned attempts;
};

} // namespace

Case reduce(Case test, const std::function<bool(const Case &)> &fails,
            unsigned attempts) {
  return Reducer(std::move(test), fails, attempts).reduce();
}

} // namespace tenon::graphs
