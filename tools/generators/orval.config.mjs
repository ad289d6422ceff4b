/** Orval writes the address of the API into the client. */
export default {
  chancery: {
    input: 'openapi.json',
    output: { target: 'generated/orval.ts', client: 'fetch', baseUrl: `${process.env.API_URL}/api/v1` },
  },
}
