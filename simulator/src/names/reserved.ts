const words = (text: string) => new Set(text.trim().split(/\s+/))

/** Lands of our world and of other people’s books: a generated name that hits one is drawn again. */
const lands = words(`
  albania algeria andorra angola armenia austria bahrain barbados belize benin bolivia bosnia botswana brunei
  bulgaria burundi chad chile china colombia congo croatia cuba cyprus denmark dominica ecuador egypt eritrea estonia
  ethiopia fiji finland france gabon gambia georgia germany ghana greece grenada guinea guyana haiti honduras hungary
  iceland india iran iraq ireland israel italy jamaica japan jordan kenya korea kosovo kuwait laos latvia lebanon
  lesotho liberia libya lithuania macedonia malawi mali malta mexico moldova monaco mongolia morocco namibia nauru
  nepal niger nigeria norway oman palau panama peru poland portugal qatar romania russia rwanda samoa serbia
  singapore slovakia slovenia somalia spain sudan sweden syria taiwan tanzania thailand togo tonga tunisia turkey
  uganda ukraine uruguay vanuatu venezuela vietnam yemen zambia zimbabwe england scotland wales bavaria catalonia
  galicia dalmatia florida victoria normandy brittany saxony prussia castile aragon savoy tuscany sicily sardinia
  corsica crete rhodes samos naxos athens corinth ithaca salzburg hamburg stuttgart frankfurt neustadt oberfeld
  belgrad belgrade karelia moravia silesia bohemia slavonia slovania verona corona salerno calabria lombardia
  gondor mordor rohan narnia westeros tatooine azeroth tamriel skyrim hyrule wakanda genovia latveria sokovia zamunda
  winterfell dorne valyria braavos morrowind coruscant alderaan endor arrakis caladan valinor themyscira asgard
  midgard atlantis avalon camelot erewhon utopia fujiyama yamamoto yokohama nagasaki hiroshima hangzhou shinkai
  samara samarqand sahara kalahari tahiti tuvalu kiribati karnak karlsburg ulmberg falkland falklands wolfsburg
  goldberg elmira florence lorena aurora miramar marbella
`)

/** Syllables that meet into something nobody wants on a map. */
const pieces =
  /fuck|shit|cunt|rape|nazi|hitler|cock|dick|anus|tits|slut|nigg|nigr|fagg|kike|porn|sex|penis|wank|piss|arsch|scheis|mussol|lenin|stalin|putin/

export function isReserved(name: string): boolean {
  const folded = name.toLowerCase()
  return pieces.test(folded) || folded.split(' ').some(word => lands.has(word))
}
