"""Characters through a recurrent net written out, with NLLLoss, updated without an optimizer."""

from tests.oracle.ordinary.given import fill


def main(torch):
    nn = torch.nn

    class RNN(nn.Module):
        def __init__(self, n_in, n_hidden, n_out):
            super(RNN, self).__init__()
            self.hidden_size = n_hidden
            self.i2h = nn.Linear(n_in + n_hidden, n_hidden)
            self.i2o = nn.Linear(n_in + n_hidden, n_out)
            self.softmax = nn.LogSoftmax(dim=1)

        def forward(self, input, hidden):
            combined = torch.cat((input, hidden), 1)
            return self.softmax(self.i2o(combined)), torch.tanh(self.i2h(combined))

        def init_hidden(self):
            return torch.zeros(1, self.hidden_size)

    letters = "abcdefgh"

    def to_tensor(line):
        tensor = torch.zeros(len(line), 1, len(letters))
        for i, letter in enumerate(line):
            tensor[i][0][letters.find(letter)] = 1
        return tensor

    rnn, criterion, losses = RNN(8, 10, 2), nn.NLLLoss(), []
    fill(rnn, 1)
    for _ in range(3):
        for word, label in (("abba", 0), ("hege", 1), ("cab", 0), ("gehf", 1)):
            hidden, line = rnn.init_hidden(), to_tensor(word)
            rnn.zero_grad()
            for i in range(line.size()[0]):
                output, hidden = rnn(line[i], hidden)
            loss = criterion(output, torch.tensor([label], dtype=torch.long))
            loss.backward()
            for p in rnn.parameters():
                p.data.add_(p.grad.data, alpha=-0.1)
            losses.append(loss.item())
    guess = output.topk(1)[1][0].item()
    return {"losses": losses, "guess": guess, "state": rnn.state_dict()}
