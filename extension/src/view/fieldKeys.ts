/**
 * Keys in a form of text fields: Enter does what the form's button does, Escape takes back what was typed.
 *
 * Enter is not left to the browser: JupyterLab prevents line breaks in the fields of a cell, and a browser submits a
 * form only where Enter would have made one.
 */

/** `cancel` takes back what was typed, and returns whether there was anything. */
export function fieldKeys(event: KeyboardEvent, cancel: () => boolean): void {
  const { currentTarget: form, target } = event;
  const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
  if (!(target instanceof HTMLInputElement) || !plain) {
    return;
  }
  if (event.key === 'Enter') {
    if (form instanceof HTMLFormElement) {
      form.requestSubmit();
    }
  } else if (event.key !== 'Escape' || !cancel()) {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}
