const mention = /^<@!?(\d+)>$/
const form = /^\d{5,20}$/

/** The number of a chat account as it was typed or copied, or what is wrong with it. Empty for none. */
export function readAccountNumber(typed: string): { number: string } | { problem: string } {
  const number = typed.replaceAll(/\s/g, '').replace(mention, '$1')
  if (number === '' || form.test(number)) return { number }
  if (/^\d+$/.test(number))
    return { problem: `An account number has 5 to 20 digits, and this one has ${number.length}.` }
  return { problem: 'An account number has only digits. A name, a tag or an email address does not work.' }
}
