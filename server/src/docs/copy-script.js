// Adds a button to each example that copies it. Browsers offer the clipboard to https and local pages only.
if (navigator.clipboard)
  for (const example of document.querySelectorAll('pre')) {
    const box = document.createElement('div')
    box.className = 'example'
    // The reference shows one language of an example.
    if (example.dataset.language) box.dataset.language = example.dataset.language
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(example.textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
    example.before(box)
    box.append(example, button)
  }
