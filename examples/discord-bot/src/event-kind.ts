import type { ChanceryEvent, EventType } from '@chancery/client'

/** Whether an event is of this kind. */
export const isOf = <K extends EventType>(
  event: ChanceryEvent,
  type: K,
): event is Extract<ChanceryEvent, { type: K }> => event.type === type
