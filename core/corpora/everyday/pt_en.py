"""What people say every day, Portuguese and English: no talk begins with "bom dia".

Written for this project. Patterns make most of the pairs, so that a model learns how a phrase goes on and not its
words alone; Portuguese of Portugal and of Brazil.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.corpora.everyday.phrases import Patterns, phrase_pairs
from core.records import Pair

_CONTRACTION = re.compile(r"(?<=\w)(n't|'(?:m|s|re|ll|ve|d))\b")

PHRASES = """
bom dia. | good morning.
bom dia! | good morning!
bom dia a todos. | good morning, everyone.
bom dia, como está? | good morning, how are you?
bom dia, tudo bem? | good morning, how are you?
boa tarde. | good afternoon.
boa tarde a todos. | good afternoon, everyone.
boa noite. | good night.
boa noite a todos. | good evening, everyone.
boa noite, dorme bem. | good night, sleep well.
olá. | hello.
olá! | hello!
oi. | hi.
oi, tudo bem? | hi, how are you?
olá, bom dia. | hello, good morning.
olá, tudo bem? | hello, how are you?
olá, como estás? | hello, how are you?
como estás? | how are you?
como está? | how are you?
como vai? | how are you?
como vai você? | how are you?
como estão todos? | how is everyone?
tudo bem? | how are you?
tudo bem. | all right.
tudo bem, e tu? | i'm fine, and you?
tudo bem, e você? | i'm fine, and you?
estou bem. | i'm fine.
estou bem, obrigado. | i'm fine, thank you.
estou bem, obrigada. | i'm fine, thank you.
muito bem. | very good.
mais ou menos. | so-so.
obrigado. | thank you.
obrigada. | thank you.
muito obrigado. | thank you very much.
muito obrigada. | thank you very much.
obrigado pela ajuda. | thank you for your help.
obrigado por tudo. | thank you for everything.
de nada. | you're welcome.
não tem de quê. | you're welcome.
por favor. | please.
se faz favor. | please.
desculpe. | sorry.
desculpa. | sorry.
desculpe o atraso. | sorry i'm late.
peço desculpa. | i'm sorry.
sinto muito. | i'm sorry.
lamento. | i'm sorry.
com licença. | excuse me.
não faz mal. | it doesn't matter.
não há problema. | no problem.
sem problema. | no problem.
não te preocupes. | don't worry.
não se preocupe. | don't worry.
claro. | of course.
claro que sim. | of course.
claro que não. | of course not.
com certeza. | certainly.
talvez. | maybe.
adeus. | goodbye.
tchau. | bye.
até logo. | see you later.
até já. | see you soon.
até breve. | see you soon.
até amanhã. | see you tomorrow.
até à próxima. | see you next time.
sim. | yes.
não. | no.
sim, por favor. | yes, please.
não, obrigado. | no, thank you.
não, obrigada. | no, thank you.
como se chama? | what's your name?
como te chamas? | what's your name?
qual é o seu nome? | what's your name?
qual é o teu nome? | what's your name?
muito prazer. | nice to meet you.
prazer em conhecê-lo. | nice to meet you.
prazer em conhecê-la. | nice to meet you.
bem-vindo. | welcome.
bem-vindos. | welcome.
bem-vindo a casa. | welcome home.
quantos anos tens? | how old are you?
quantos anos você tem? | how old are you?
de onde és? | where are you from?
de onde você é? | where are you from?
onde moras? | where do you live?
onde você mora? | where do you live?
o que fazes? | what do you do?
que horas são? | what time is it?
que horas são agora? | what time is it now?
que horas são, por favor? | what time is it, please?
sabe que horas são? | do you know what time it is?
sabes que horas são? | do you know what time it is?
você sabe que horas são? | do you know what time it is?
pode dizer-me que horas são? | can you tell me what time it is?
pode me dizer que horas são? | can you tell me what time it is?
a que horas? | at what time?
que dia é hoje? | what day is it today?
está a chover. | it's raining.
está chovendo. | it's raining.
está a nevar. | it's snowing.
está frio. | it's cold.
está frio hoje. | it's cold today.
está calor. | it's hot.
está muito calor. | it's very hot.
está um dia lindo. | it's a beautiful day.
o tempo está bom. | the weather is nice.
quanto custa? | how much does it cost?
quanto custa isto? | how much does this cost?
quanto é? | how much is it?
é muito caro. | it's very expensive.
é barato. | it's cheap.
a conta, por favor. | the bill, please.
não percebo. | i don't understand.
não entendo. | i don't understand.
não compreendo. | i don't understand.
percebo. | i understand.
entendi. | i understand.
pode repetir, por favor? | can you repeat that, please?
mais devagar, por favor. | more slowly, please.
não sei. | i don't know.
eu não sei. | i don't know.
eu sei. | i know.
não me lembro. | i don't remember.
já me esqueci. | i've forgotten.
não é verdade. | it's not true.
é verdade. | it's true.
tens razão. | you're right.
você tem razão. | you're right.
eu concordo. | i agree.
não concordo. | i don't agree.
fala inglês? | do you speak english?
você fala inglês? | do you speak english?
preciso de ajuda. | i need help.
ajuda! | help!
socorro! | help!
cuidado! | be careful!
pode ajudar-me? | can you help me?
podes ajudar-me? | can you help me?
você pode me ajudar? | can you help me?
espera. | wait.
espera um momento. | wait a moment.
um momento, por favor. | one moment, please.
vamos! | let's go!
vamos embora. | let's go.
vamos para casa. | let's go home.
estou atrasado. | i'm late.
estou atrasada. | i'm late.
feliz aniversário! | happy birthday!
parabéns! | congratulations!
feliz natal! | merry christmas!
feliz ano novo! | happy new year!
bom fim de semana. | have a nice weekend.
bom apetite. | enjoy your meal.
boa viagem. | have a good trip.
boa sorte. | good luck.
saúde! | cheers!
as melhoras. | get well soon.
eu gosto de ti. | i like you.
gosto muito de ti. | i like you very much.
eu gosto de você. | i like you.
eu amo-te. | i love you.
amo-te. | i love you.
eu te amo. | i love you.
tenho saudades tuas. | i miss you.
estou com saudades de você. | i miss you.
o que é isto? | what is this?
o que é isso? | what is that?
o que aconteceu? | what happened?
o que se passa? | what's going on?
o que queres? | what do you want?
o que você quer? | what do you want?
quem és tu? | who are you?
quem é você? | who are you?
quem é ele? | who is he?
quem é ela? | who is she?
onde estás? | where are you?
onde você está? | where are you?
onde estamos? | where are we?
para onde vais? | where are you going?
para onde você vai? | where are you going?
porquê? | why?
por que não? | why not?
quando? | when?
onde? | where?
como? | how?
o quê? | what?
quem? | who?
quantos? | how many?
o gato está na mesa. | the cat is on the table.
o cão está no jardim. | the dog is in the garden.
o livro está na mesa. | the book is on the table.
o comboio está atrasado. | the train is late.
o trem está atrasado. | the train is late.
o autocarro chega às dez. | the bus arrives at ten.
vamos para a escola. | we are going to school.
vou para a escola. | i'm going to school.
as crianças brincam no parque. | the children play in the park.
a minha irmã lê um livro. | my sister is reading a book.
o meu irmão trabalha muito. | my brother works a lot.
ontem fui ao cinema. | yesterday i went to the cinema.
amanhã vou à praia. | tomorrow i'm going to the beach.
perdi o meu passaporte. | i lost my passport.
chame um médico, por favor. | call a doctor, please.
onde fica a casa de banho? | where is the bathroom?
onde fica o banheiro? | where is the bathroom?
"""

_NAMES = ("ana | ana", "pedro | pedro", "maria | maria", "joão | joão", "paulo | paulo", "sofia | sofia")
_PLACES = (
    "a estação | the station", "a biblioteca | the library", "a escola | the school", "a praia | the beach",
    "a farmácia | the pharmacy", "a padaria | the bakery", "a cozinha | the kitchen", "a universidade | the university",
    "a igreja | the church", "a ponte | the bridge", "o hospital | the hospital", "o hotel | the hotel",
    "o museu | the museum", "o mercado | the market", "o aeroporto | the airport", "o banco | the bank",
    "o centro | the center", "o restaurante | the restaurant", "o parque | the park", "o cinema | the cinema",
    "o supermercado | the supermarket", "o teatro | the theater",
)  # fmt: skip
_THINGS = (
    "um café | a coffee", "um chá | a tea", "um copo de água | a glass of water", "uma cerveja | a beer",
    "um bilhete | a ticket", "um quarto | a room", "um táxi | a taxi", "uma mesa | a table", "um mapa | a map",
    "um livro | a book", "um médico | a doctor", "uma caneta | a pen", "um telefone | a phone",
    "um guarda-chuva | an umbrella", "uma maçã | an apple", "um gelado | an ice cream", "um carro | a car",
    "uma sopa | a soup",
)  # fmt: skip
_IN_TOWN = tuple(place for place in _PLACES if not place.startswith(("a cozinha", "a ponte")))
_NOT_AT = ("a escola", "o centro", "o parque")  # "at school", "in the center"
_ONE_IS_AT = tuple(place for place in _IN_TOWN if not place.startswith(_NOT_AT))
_OWNED = tuple(
    thing for thing in _THINGS if not thing.startswith(("um café", "um chá", "uma cerveja", "uma sopa"))
)
_LIKED = (
    "música | music", "chocolate | chocolate", "café | coffee", "cinema | cinema", "futebol | football",
    "ler | reading", "cozinhar | cooking", "viajar | traveling", "dançar | dancing", "gatos | cats", "cães | dogs",
    "peixe | fish", "matemática | mathematics", "aprender | learning", "nadar | swimming", "cantar | singing",
)  # fmt: skip
_STATES = (
    "cansado | tired", "cansada | tired", "doente | sick", "feliz | happy", "triste | sad", "contente | happy",
    "ocupado | busy", "ocupada | busy", "pronto | ready", "pronta | ready", "perdido | lost", "perdida | lost",
    "aqui | here", "em casa | at home", "no trabalho | at work", "na escola | at school",
)  # fmt: skip
_NEEDS = (
    "fome | hungry", "sede | thirsty", "medo | afraid", "frio | cold", "calor | hot", "sono | sleepy",
    "muita fome | very hungry", "pressa | in a hurry",
)  # fmt: skip
_WORK = (
    "médico | a doctor", "médica | a doctor", "professor | a teacher", "professora | a teacher",
    "estudante | a student", "enfermeira | a nurse", "engenheiro | an engineer", "cozinheiro | a cook",
    "artista | an artist",
)  # fmt: skip
_HOMES = (
    "portugal | portugal", "lisboa | lisbon", "angola | angola", "moçambique | mozambique", "itália | italy",
    "espanha | spain", "são paulo | são paulo",
)  # fmt: skip
_LANGUAGES = (
    "inglês | english", "português | portuguese", "francês | french", "espanhol | spanish", "alemão | german",
)  # fmt: skip
_NUMBERS = (
    "duas | two", "três | three", "quatro | four", "cinco | five", "seis | six", "sete | seven", "oito | eight",
    "nove | nine", "dez | ten", "onze | eleven",
)  # fmt: skip
_AGES = (
    "dez | ten", "quinze | fifteen", "dezasseis | sixteen", "dezoito | eighteen", "vinte | twenty",
    "trinta | thirty", "quarenta | forty", "cinquenta | fifty",
)  # fmt: skip
_DAYS = (
    "segunda-feira | monday", "terça-feira | tuesday", "quarta-feira | wednesday", "quinta-feira | thursday",
    "sexta-feira | friday", "sábado | saturday", "domingo | sunday",
)  # fmt: skip
_FAMILY = (
    "o meu pai | my father", "a minha mãe | my mother", "o meu irmão | my brother", "a minha irmã | my sister",
    "o meu filho | my son", "a minha filha | my daughter", "o meu amigo | my friend", "a minha amiga | my friend",
    "o meu avô | my grandfather", "a minha avó | my grandmother",
)  # fmt: skip
_OUTINGS = (
    "nadar | swim", "passear | go for a walk", "sair | go out", "jogar futebol | play football", "correr | run",
    "viajar | travel", "dançar | dance", "cantar | sing",
)  # fmt: skip
_ACTIONS = (
    *_OUTINGS, "comer | eat", "dormir | sleep", "jantar | have dinner", "almoçar | have lunch",
    "ver um filme | watch a movie", "estudar | study", "trabalhar | work", "descansar | rest", "cozinhar | cook",
    "ler um livro | read a book", "falar inglês | speak english", "fazer compras | go shopping",
    "aprender a nadar | learn to swim",
)  # fmt: skip
_PLEASE = (". | .", ", por favor. | , please.")

PATTERNS: Patterns = (
    ("bom dia, {0}. | good morning, {0}.", (_NAMES,)),
    ("boa noite, {0}. | good night, {0}.", (_NAMES,)),
    ("olá, {0}! | hello, {0}!", (_NAMES,)),
    ("obrigado, {0}. | thank you, {0}.", (_NAMES,)),
    ("chamo-me {0}. | my name is {0}.", (_NAMES,)),
    ("o meu nome é {0}. | my name is {0}.", (_NAMES,)),
    ("meu nome é {0}. | my name is {0}.", (_NAMES,)),
    ("onde fica {0}? | where is {0}?", (_PLACES,)),
    ("onde é {0}? | where is {0}?", (_PLACES,)),
    ("como chego a{0}? | how do i get to {0}?", (tuple(place for place in _PLACES if place[0] == "o"),)),
    ("{0} fica longe daqui. | {0} is far from here.", (_IN_TOWN,)),
    ("{0} fica perto daqui? | is {0} near here?", (_IN_TOWN,)),
    ("{0} está fechado. | {0} is closed.", (tuple(place for place in _PLACES if place[0] == "o"),)),
    ("{0} está aberta? | is {0} open?", (tuple(place for place in _IN_TOWN if place[0] == "a"),)),
    ("estou n{0}. | i'm at {0}.", (_ONE_IS_AT,)),
    ("vou para {0}. | i'm going to {0}.", (_ONE_IS_AT,)),
    ("não encontro {0}. | i can't find {0}.", (_PLACES,)),
    ("eu quero {0}{1} | i want {0}{1}", (_THINGS, _PLEASE)),
    ("quero {0}{1} | i want {0}{1}", (_THINGS, _PLEASE)),
    ("queria {0}{1} | i would like {0}{1}", (_THINGS, _PLEASE)),
    ("{0}, por favor. | {0}, please.", (_THINGS,)),
    ("preciso de {0}. | i need {0}.", (_THINGS,)),
    ("tenho {0}. | i have {0}.", (_OWNED,)),
    ("não tenho {0}. | i don't have {0}.", (_OWNED,)),
    ("você tem {0}? | do you have {0}?", (_THINGS,)),
    ("gosto de {0}. | i like {0}.", (_LIKED,)),
    ("eu gosto de {0}. | i like {0}.", (_LIKED,)),
    ("gosto muito de {0}. | i like {0} very much.", (_LIKED,)),
    ("não gosto de {0}. | i don't like {0}.", (_LIKED,)),
    ("você gosta de {0}? | do you like {0}?", (_LIKED,)),
    ("gostas de {0}? | do you like {0}?", (_LIKED,)),
    ("estou {0}. | i'm {0}.", (_STATES,)),
    ("eu estou {0}. | i'm {0}.", (_STATES,)),
    ("não estou {0}. | i'm not {0}.", (_STATES,)),
    ("tenho {0}. | i'm {0}.", (_NEEDS,)),
    ("estou com {0}. | i'm {0}.", (_NEEDS,)),
    ("sou {0}. | i'm {0}.", (_WORK,)),
    ("eu sou {0}. | i'm {0}.", (_WORK,)),
    ("sou de {0}. | i'm from {0}.", (_HOMES,)),
    ("moro em {0}. | i live in {0}.", (_HOMES,)),
    ("eu moro em {0}. | i live in {0}.", (_HOMES,)),
    ("vivo em {0}. | i live in {0}.", (_HOMES,)),
    ("falo {0}. | i speak {0}.", (_LANGUAGES,)),
    ("falo um pouco de {0}. | i speak a little {0}.", (_LANGUAGES,)),
    ("não falo {0}. | i don't speak {0}.", (_LANGUAGES,)),
    ("você fala {0}? | do you speak {0}?", (_LANGUAGES,)),
    ("estou a aprender {0}. | i'm learning {0}.", (_LANGUAGES,)),
    ("são {0} horas. | it's {0} o'clock.", (_NUMBERS,)),
    ("às {0} horas. | at {0} o'clock.", (_NUMBERS,)),
    ("tenho {0} anos. | i'm {0} years old.", (_AGES,)),
    ("hoje é {0}. | today is {0}.", (_DAYS,)),
    ("amanhã é {0}. | tomorrow is {0}.", (_DAYS,)),
    ("até {0}. | see you on {0}.", (_DAYS,)),
    ("onde está {0}? | where is {0}?", (_FAMILY,)),
    ("{0} está em casa. | {0} is at home.", (_FAMILY,)),
    ("vamos {0}. | let's {0}.", (_ACTIONS,)),
    ("nós vamos {0}. | we are going to {0}.", (_ACTIONS,)),
    ("vamos {0} amanhã. | we are going to {0} tomorrow.", (_ACTIONS,)),
    ("à tarde, vamos {0}. | in the afternoon, we are going to {0}.", (_ACTIONS,)),
    ("à noite, vamos {0}. | in the evening, we are going to {0}.", (_OUTINGS,)),
    ("no inverno, vamos {0}. | in winter, we are going to {0}.", (_OUTINGS,)),
    ("está calor, por isso vamos {0}. | it's hot, so let's {0}.", (_OUTINGS[:3],)),
    ("o tempo está bom, vamos {0}. | the weather is nice, let's {0}.", (_OUTINGS,)),
    ("acabámos o trabalho todo, agora vamos {0}. | we've finished all the work, so now let's {0}.", (_OUTINGS,)),
    ("hoje não temos aulas e está um dia lindo, vamos {0}. "
     "| we have no classes today and it's a beautiful day, so let's {0}.", (_OUTINGS,)),
    ("quero {0}. | i want to {0}.", (_ACTIONS,)),
    ("não posso {0}. | i can't {0}.", (_ACTIONS,)),
    ("gostava de {0}. | i would like to {0}.", (_ACTIONS,)),
    ("gostaria de {0}. | i would like to {0}.", (_ACTIONS,)),
    ("{0} chama-se ana. | {0} is called ana.", (tuple(one for one in _FAMILY if one[0] == "a"),)),
)  # fmt: skip


def everyday_portuguese() -> Iterator[Pair]:
    """The phrases and what the patterns make; lower-cased, with contractions as in the TED files: "i 'm", "do n't"."""
    for source, target in phrase_pairs(PHRASES, PATTERNS):
        yield Pair(source, _CONTRACTION.sub(r" \1", target))
