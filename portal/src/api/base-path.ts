/** What is before `/developers` in the address of the page: a path where several worlds share a host, usually nothing. */
export const basePath = (): string => location.pathname.replace(/\/developers(\/.*)?$/, '')

/** The part of `localStorage` that is this page's: worlds at paths of one host share it. It may be disabled: then every access throws. */
export const pageStorage = () => ({
  getItem: (name: string) => localStorage.getItem(name + basePath()),
  setItem: (name: string, value: string) => localStorage.setItem(name + basePath(), value),
  removeItem: (name: string) => localStorage.removeItem(name + basePath()),
})
