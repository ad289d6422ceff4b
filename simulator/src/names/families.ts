/** Syllables for the names of one region: of lands and of people. */
export interface Family {
  starts: readonly string[]
  middles: readonly string[]
  ends: readonly string[]
  given: readonly string[]
  surnameEnds: readonly string[]
  /** Particles between given name and surname; usually none. */
  particles: readonly string[]
}

const words = (text: string) => text.trim().split(/\s+/)
const family = (
  starts: string,
  middles: string,
  ends: string,
  given: string,
  surnameEnds: string,
  particles: string[] = [''],
): Family => ({
  starts: words(starts),
  middles: words(middles),
  ends: words(ends),
  given: words(given),
  surnameEnds: words(surnameEnds),
  particles,
})

export const families = [
  // The cold north.
  family(
    'Skar Hal Vest Jor Bryn Sig Grim Ulf Ein Frø Hval Kald Myr Rav Stor Svan Tynd Varg Ysk Ås Øst Hraf Eld Drang Snæ Thran Bjar Kvel Rune Vind',
    'en a er is var und al ing os ar',
    'mark heim vik gard sund holm fjell dal nes borg hav strand voll lund ria øya land ia',
    'Astrid Torvald Ingrun Eskil Sunniva Halvard Ragna Leif Solveig Gunnar Yrsa Bodil Viggo Thyra Anders Hedda Ketil Runa Sverre Maren',
    'sen dottir berg lund vik gaard strøm kvist rud nes',
  ),
  // The wide plains of the east.
  family(
    'Kar Dra Vol Bel Mir Zor Strel Gro Tvar Ost Luk Bran Slav Yar Kres Vel Rad Zhar Mor Dub Pol Sem Tar Chern Vis Lem Kol Bor Žel Šum',
    'o a e i ov en ya ni av od',
    'grad sk nia ova vets ava ishte nik mir ovia itsa gora polye dara zin rov esk ina',
    'Mirela Anton Darya Bogdan Vesna Radko Zoya Lubomir Katya Stanis Irina Pavlo Jadranka Milosh Oksana Tihomir Nevena Goran Ludmila Yarek',
    'ov ova ich enko ski ska ar ets nik ul',
  ),
  // The vineyards and harbours of the south.
  family(
    'Val Cas Mon Ser Al Bel Cor Flor Lus Mar Oli Per Ros Sal Tor Ver Aur Bras Cal Dor Est Fer Gal Lor Mir Nov Pal San Quin Vil',
    'ta de ri no sa ve li a o an el',
    'doria ona anza ara ello ésa este igna oria enza alia uria andra ova era ezia ónia ales',
    'Lucia Marcello Ines Teodoro Beatriz Rafael Chiara Duarte Paloma Silvano Renata Alonso Mira Ettore Leonor Fabrizio Carmela Joaquim Delfina Matteo',
    'elli ez otti ado ane eiro ini ara osta ani',
    ['', '', '', 'de', 'da', 'di'],
  ),
  // The rainy isles.
  family(
    'Caer Dun Glen Kil Bal Tre Aber Lan Car Ross Fen Ard Bren Cul Don Inver Mael Pen Rath Strath Tal Wex Gwyn Loch Tor Móran Ér Cán Bré Sláin',
    'a o gh na wy ri ne an er ell',
    'more wen ley dagh ryn moor shire loch bryn nach dale mar wick ness tarn lin mede gar',
    'Aoife Conall Rhiannon Bran Maeve Emrys Niamh Fergus Gwenllian Declan Siân Owain Orla Tadhg Bronwen Lachlan Isla Cormac Nesta Eoghan',
    'agh wyn ley more igan nell rick mond ane duff',
    ['', '', '', 'Mac', 'ap'],
  ),
  // The deserts and oases.
  family(
    'Qas Zah Tam Har Jad Mar Naz Rash Sul Tah Wad Yaz Bar Dar Faz Gham Hal Kash Laz Mun Nur Sham Tel Um Zar Asmâ Qal Rim Sâf Dhul',
    'a i u ra ma ha na sha ar im',
    'ir abad een ut aya an at ar una im rah oun sar qand esh iyya is ara',
    'Layla Samir Nadira Tariq Yasmin Idris Zahra Faris Amina Jalal Soraya Khalid Rania Hakim Safiya Nasir Dunya Rashid Leyla Munir',
    'awi ani iri addin oun adeh uri ash ami arid',
    ['', '', 'al', 'ibn'],
  ),
  // The terraced valleys and harbours of the sunrise.
  family(
    'Haru Sen Mizo Tae Kuro Naga Yama Shin Kawa Han Rin Sora Toku Wen Xian Jin Lu Mei Bao Chun Dae Gyo Hwa Kita Ishi Ōka Tsu Yun Zhen Fuji',
    'no ga ra mi na ko ri to yo sa',
    'jima shū ryong won kai hama saki mori zhou lin shan dao moto yang gawa to an ling',
    'Haruka Kenji Mei Jun Seo-yeon Takumi Lian Hiro Yuna Wei Aiko Daichi Xiulan Min-jae Sakura Ren Hana Tao Nari Kaito',
    'moto gawa shiro zaki lin mura hara dano wei ong',
  ),
  // The lagoons and the warm coasts.
  family(
    'Ka Mo Nu Lua Tan Za Wai Koro Mba Ny Ta Vai Ama Ulu Ili Lo Kwa Ru Bu Nde Hau Mana Pele Ori Tua Chi Oba Sa Ife Ngo',
    'la ri ma wa nu ko ti za mbe lo',
    'lani zawe toa ndu nga hiva lei tara bari mbia wiri sina kele moana bwe roa dara nui',
    'Leilani Kwame Nalani Tendai Moana Kofi Amara Tane Zuri Manu Adaeze Jabari Sina Themba Kalea Oban Nia Rangi Ayo Malia',
    'mbeki loa ngata wale dele iri kamau tua ndala weni',
  ),
  // The old cities of the west.
  family(
    'Ast Brei Kron Lind Rot Stein Wal Hohen Grau Eich Falk Gold Habs Karl Löw Mar Neu Ober Rein Schön Tann Ulm Wolf Zell Adel Birk Drach Elm Fürst Greif',
    'en er el ing ern a es in ach un',
    'burg wald stein furt mark hafen tal feld au berg bruck eck stadt haven mond rode ingen ria',
    'Ilse Konrad Greta Albrecht Hanna Dieter Lotte Friedrich Annika Ruprecht Klara Wendel Margarethe Jost Elke Volkmar Sabine Tilman Ottilie Gerhard',
    'mann berger hoff stein er ling bach feld auer wald',
    ['', '', '', 'von', 'zu'],
  ),
  // The islands of the old sea.
  family(
    'Thal Ery Kall Pher Ath Lyk Myr Nax Or Pel Sam Teg Xan Zak Aig Dor Eph Hel Ith Kor Leuk Meg Olyn Phil Rhod Syr Tyn Anth Kyd Mel',
    'o e a i an er on al yr as',
    'essos ike ion anthe os aia onia ateia ope yra andros inth eia asos ene opolis ides oria',
    'Eleni Stavros Kalliope Nikandros Daphne Theron Ariadne Lysias Xenia Petros Ismene Damian Thalia Andreas Melina Kleon Zoe Markos Iris Leonidas',
    'opoulos akis idis ou atos ellis iades as oglou enos',
  ),
] as const satisfies readonly Family[]
