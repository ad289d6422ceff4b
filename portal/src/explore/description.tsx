/** A sentence of the contract, in which words between backticks are code. */
export const Description = ({ text }: { text: string }) =>
  text.split('`').map((part, index) => {
    const key = `${index} ${part}`
    return index % 2 === 1 ? <code key={key}>{part}</code> : part
  })
