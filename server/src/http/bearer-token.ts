/** The token in `Authorization: Bearer <token>`; undefined for no header, another scheme, and a value that is not one token. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
