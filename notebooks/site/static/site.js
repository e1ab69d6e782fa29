// What scrolls can be reached by keys: Sphinx's blocks of code and wide tables scroll sideways.
const scrolling = () => {
  for (const block of document.querySelectorAll('pre, .table-wrapper, div.cell_output .output')) {
    if (block.scrollWidth > block.clientWidth && !block.hasAttribute('tabindex')) {
      block.tabIndex = 0;
    }
  }
};
// The two columns beside the text have names.
document.querySelector('.sidebar-drawer')?.setAttribute('aria-label', 'Pages');
document.querySelector('.toc-drawer')?.setAttribute('aria-label', 'On this page');
addEventListener('load', scrolling);
addEventListener('resize', scrolling);

// Each block of code has a button that copies it; of an interactive session what was typed.
const typed = (text) => {
  const lines = text.split('\n').filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
  return lines.length ? lines.map((line) => line.slice(4)).join('\n') + '\n' : text;
};
const offerCopies = () => {
  for (const block of document.querySelectorAll('div.highlight')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'vg-copy';
    button.textContent = 'Copy';
    button.setAttribute('aria-label', 'Copy the code');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(typed(block.querySelector('pre').textContent));
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), 2000);
    });
    block.append(button);
  }
};
// There is no clipboard where a page came by plain http from another machine.
if (navigator.clipboard) {
  offerCopies();
}

// Sessions in frames look as the page does: a frame hears by its address which look was chosen.
const chosen = () => {
  const asked = document.body.dataset.theme;
  if (asked === 'light' || asked === 'dark') {
    return asked;
  }
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
};
const look = () => {
  for (const frame of document.querySelectorAll('.vg-live iframe')) {
    const address = `${frame.src.split('#')[0]}#${chosen()}`;
    if (frame.src !== address) {
      frame.src = address;
    }
  }
};
look();
new MutationObserver(look).observe(document.body, {
  attributeFilter: ['data-theme'],
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', look);
