import { type Handlers, pageResult } from '../../http/define-operation.ts'
import type { ReadContext } from '../../store/fact-columns.ts'
import { listAllianceHistory } from './alliances.ts'
import { listNationHistory } from './nations.ts'

export const historyHandlers = (
  context: ReadContext,
): Pick<Handlers, 'nationsHistory' | 'alliancesHistory'> => ({
  nationsHistory: async ({ values, disclose }) =>
    pageResult(disclose, 'nation_history_point', await listNationHistory(context, values)),
  alliancesHistory: async ({ values, disclose }) =>
    pageResult(disclose, 'alliance_history_point', await listAllianceHistory(context, values)),
})
