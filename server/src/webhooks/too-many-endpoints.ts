import { webhooks } from '@chancery/contract'
import { ApiError } from '../http/api-error.ts'

/** A player has as many endpoints as there may be. */
export class TooManyEndpointsError extends ApiError {
  constructor() {
    super(
      'bad_request',
      `This player has ${webhooks.endpointsPerPlayerMax} endpoints, as many as there may be: remove one.`,
    )
  }
}
