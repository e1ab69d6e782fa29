// What scrolls can be reached by keys: Sphinx's blocks of code and wide tables scroll sideways.
const scrolling = () => {
  for (const block of document.querySelectorAll('pre, .table-wrapper, div.cell_output .output')) {
    if (block.scrollWidth > block.clientWidth && !block.hasAttribute('tabindex')) {
      block.tabIndex = 0;
    }
  }
};
addEventListener('load', scrolling);
addEventListener('resize', scrolling);
