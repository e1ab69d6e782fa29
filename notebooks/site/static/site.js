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
