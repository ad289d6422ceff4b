import { operatorOperations } from '@chancery/contract'
import type { ChanceryCommand, Context, Result } from '../command.ts'

export function addSenders(program: ChanceryCommand) {
  program
    .command('senders')
    .description('remove retired senders from the status')
    .command('remove')
    .description('remove the sender of a feed that was retired; the position of the feed stays')
    .argument('<feed>', 'its name')
    .prints(removeSender)
    .details('\nExamples:\n  chancery senders remove pull')
}

async function removeSender({ call }: Context, id: string): Promise<Result> {
  const removed = await call(operatorOperations.feedsRemoveSender, { id })
  return [removed, `the sender of ${removed.feed} is removed`]
}
