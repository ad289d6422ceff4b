/** Renders text between backticks as code. */
export const InlineCode = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => {
    const key = `${index} ${part}`
    return index % 2 === 1 ? <code key={key}>{part}</code> : part
  })
