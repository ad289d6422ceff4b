/** Where the operator listener keeps a webhook endpoint, or what it does with it. */
export const endpointPath = (id: string, action?: string): string =>
  `/webhooks/${encodeURIComponent(id)}${action === undefined ? '' : `/${action}`}`
