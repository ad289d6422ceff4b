import { name, shape } from '../shapes.ts'
import { copyOf } from '../text-origin.ts'
import { derivedKind } from './kind.ts'
import { theNation } from './subjects.ts'

export const nationKinds = () => ({
  'nation.founded': derivedKind(
    'A nation was founded.',
    shape({ nation: theNation() }),
    data => `${data.nation.nation_name} was founded.`,
  ),
  'nation.renamed': derivedKind(
    'A nation changed its name.',
    shape({
      nation: theNation(),
      old_name: copyOf(
        'nation.nation_name',
        'nation.nation_id',
        name(100, { description: 'Its name before.' }),
      ),
    }),
    data => `${data.old_name} is now called ${data.nation.nation_name}.`,
  ),
  'nation.deleted': derivedKind(
    'A nation ceased to exist.',
    shape({ nation: theNation() }),
    data => `${data.nation.nation_name} ceased to exist.`,
  ),
})
